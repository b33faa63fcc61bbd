"""Places where an answer reaches for the inside of the interpreter: what cannot be refused there is shown.

Read from the syntax of the text; nothing is run.
"""

import ast
from collections.abc import Collection, Iterator
from functools import lru_cache

from grader.curriculum.parsing import parsed
from grader.judge.verdict import Suspicion

MAX_SUSPICIONS = 20

_MODULES = {
    "ctypes": "ctypes reaches any memory of the process",
    "_ctypes": "ctypes reaches any memory of the process",
    "mmap": "mmap maps files and memory",
    "_posixsubprocess": "_posixsubprocess starts programs",
    "_testcapi": "_testcapi reaches into the interpreter",
    "_testinternalcapi": "_testinternalcapi reaches into the interpreter",
    "grader": "it imports byheart itself",
    "cffi": "cffi reaches any memory of the process",
    "subprocess": "subprocess starts programs",
    "socket": "socket connects to others",
    "_socket": "socket connects to others",
    "select": "select waits for descriptors, the judge's too",
    "selectors": "selectors wait for descriptors, the judge's too",
    "fcntl": "fcntl changes descriptors, the judge's too",
    "posix": "posix works with descriptors, the judge's too",
    "__main__": "__main__ is the program around the answer",
}
_ATTRIBUTES = {
    "_getframe": "sys._getframe shows the frames of others",
    "_current_frames": "sys._current_frames shows the frames of others",
    "get_objects": "gc.get_objects finds every object of the process",
    "get_referrers": "gc.get_referrers finds who holds an object",
    "get_referents": "gc.get_referents finds what an object holds",
    "_registry": "a registry of finalizers can be emptied",
    "_C": "torch._C is the inside of torch",
    "_dispatch_library": "the dispatcher's table of kernels can be changed",
    "f_back": "f_back leads to the frames of others",
    "f_globals": "f_globals shows the names of others",
    "f_locals": "f_locals shows the variables of others",
    "tb_frame": "tb_frame leads to the frames of others",
    "gi_frame": "gi_frame leads to frames",
    "__globals__": "__globals__ shows the names of other modules",
    "__closure__": "__closure__ shows what functions keep",
    "__code__": "__code__ can be exchanged",
    "__subclasses__": "__subclasses__ finds classes that were not imported",
    "addaudithook": "audit hooks belong to the judge",
    "setprofile": "sys.setprofile sees what others do",
    "settrace": "sys.settrace sees what others do",
    "meta_path": "sys.meta_path decides what imports give",
    "refusals": "a name that the judge's own worker uses",
    "cell_contents": "cell_contents exchanges what functions keep",
    "getsignal": "signal handlers belong to the judge",
    "getmembers": "inspect.getmembers shows what objects keep",
    "currentframe": "inspect.currentframe shows frames",
    "TorchDispatchMode": "a dispatch mode sees and changes what torch computes",
    "TorchFunctionMode": "a function mode sees and changes what torch is asked",
    "overrides": "torch.overrides changes what torch is asked",
    "_python_dispatch": "torch.utils._python_dispatch holds what counts operations",
}
_CHANGING = ("setattr", "delattr")
_SETTINGS = ("torch.backends.", "sys.stdout", "sys.stderr", "plt.", "warnings.", "os.environ")
"""Attributes of libraries that programs set."""
_TEXTS = ("/proc/", "/dev/fd", "torch._C", "grader.worker", "grader.judge")
_OF_DESCRIPTORS = frozenset(
    ("read", "write", "readv", "writev", "pread", "pwrite", "sendfile", "splice", "dup", "dup2", "fdopen")
)
"""Functions of `os` that take a number: it could be the judge's own connection."""


@lru_cache(maxsize=1)
def suspicions_of(text: str) -> tuple[Suspicion, ...]:
    """What somebody should look at before believing that the answer is one, by line. Nothing for what is not
    Python.
    """
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    nodes = list(ast.walk(tree))
    imported = {name for node in nodes for name in _bound_by_import(node)}
    imported |= {name for node in nodes for name in _other_names(node, imported)}
    layers = {name for node in nodes for name in _layers(node)}
    asked = [node for node in nodes if not (isinstance(node, ast.Call) and _chooses_a_layer(node, layers))]
    places = (*(_in(node) for node in nodes), *(_replaced(node, imported) for node in asked))
    found = sorted({place for some in places for place in some})
    return tuple(Suspicion(line, what) for line, what in found[:MAX_SUSPICIONS])


def _in(node: ast.AST) -> Iterator[tuple[int, str]]:
    line = getattr(node, "lineno", 1)
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((line, what) for what in _inside_by_import(node))
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        yield from ((line, _MODULES[name]) for name in map(_package, names) if name in _MODULES)
    elif isinstance(node, ast.ImportFrom) and _package(node.module or "") in _MODULES:
        yield line, _MODULES[_package(node.module or "")]
    elif isinstance(node, ast.ImportFrom) and node.module == "os":
        names = [alias.name for alias in node.names if alias.name in _OF_DESCRIPTORS]
        yield from ((line, f"os.{name} works with descriptors, the judge's too") for name in names)
    elif isinstance(node, ast.Attribute) and _place(node) == ("os", f"os.{node.attr}"):
        if node.attr in _OF_DESCRIPTORS:
            yield line, f"os.{node.attr} works with descriptors, the judge's too"
    elif isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        yield line, _ATTRIBUTES[node.attr]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _in_text(node.value, line)


def _inside_by_import(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """`import torch._C`, `from gc import get_objects`."""
    before = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    parts = [part for name in (*before, *(alias.name for alias in node.names)) for part in name.split(".")]
    yield from (_ATTRIBUTES[part] for part in dict.fromkeys(parts) if part in _ATTRIBUTES)


def _bound_by_import(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or _package(alias.name) for alias in node.names)


def _layers(node: ast.AST) -> Iterator[str]:
    """The names that an import gives to torch.nn and torch.nn.functional."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        before = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            if f"{before}{alias.name}" in ("torch.nn", "torch.nn.functional") and (before or alias.asname):
                yield alias.asname or alias.name


def _chooses_a_layer(node: ast.Call, layers: Collection[str]) -> bool:
    """Whether it is getattr(F, activation), as people write it."""
    if _called(node) != "getattr" or len(node.args) < 2:
        return False
    of, name = node.args[:2]
    return isinstance(of, ast.Name) and of.id in layers and isinstance(name, ast.Name)


def _other_names(node: ast.AST, imported: Collection[str]) -> Iterator[str]:
    """The names that an assignment gives to what was imported, or to a part of it."""
    if isinstance(node, ast.Assign):
        place = _place(ast.Attribute(node.value, "…"))
        if place is not None and place[0] in imported:
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _replaced(node: ast.AST, imported: Collection[str]) -> Iterator[tuple[int, str]]:
    """What an answer changes in a library, which the judge's own worker uses as well; and the names that it
    puts together to ask for them.
    """
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
        changed = [_place(target) for target in targets]
    elif isinstance(node, ast.Call) and _called(node) in _CHANGING and node.args:
        changed = [_place(ast.Attribute(node.args[0], "…"))]
    else:
        changed = []
    for root, path in (place for place in changed if place is not None):
        if root in imported and not path.startswith(_SETTINGS):
            yield node.lineno, f"it changes {path[:40]}"  # type: ignore[attr-defined]
    if isinstance(node, ast.Call) and (put_together := _asks_by_name(node, imported)):
        yield node.lineno, put_together


def _place(target: ast.AST) -> tuple[str, str] | None:
    """The first name and the whole path of `torch.Tensor.numel`, None for what is no attribute or item of an
    attribute.
    """
    if isinstance(target, ast.Subscript):
        space = target.value
        if isinstance(space, ast.Call) and _called(space) == "vars" and space.args:
            return _place(ast.Attribute(space.args[0], "…"))
        return _place(space) if isinstance(space, ast.Attribute) and space.attr == "__dict__" else None
    names: list[str] = []
    while isinstance(target, ast.Attribute):
        names.append(target.attr)
        target = target.value
    if not names or not isinstance(target, ast.Name):
        return None
    return target.id, ".".join([target.id, *names[::-1]])


def _asks_by_name(node: ast.Call, imported: Collection[str]) -> str | None:
    """Whether a call asks a library, or what another call gives, for something whose name does not stand
    there.
    """
    called = _called(node)
    if called in ("getattr", "setattr", "delattr") and len(node.args) > 1:
        of, name = node.args[:2]
        while isinstance(of, ast.Attribute | ast.Subscript):
            of = of.value
        is_own = isinstance(of, ast.Name) and of.id not in imported
        if isinstance(name, ast.Constant) or is_own:
            return None
        return None if _begins_plainly(name) else f"{called} with a computed name"
    if called in ("attrgetter", "methodcaller", "__import__", "import_module", "eval", "exec", "compile"):
        is_plain = isinstance(node.func, ast.Name) or called not in ("eval", "compile")  # model.eval()
        if is_plain and node.args and not isinstance(node.args[0], ast.Constant):
            return f"{called} with a computed text"
    return None


def _begins_plainly(name: ast.AST) -> bool:
    """f"layer_{i}": what is asked for is not what is private."""
    if isinstance(name, ast.JoinedStr) and name.values and isinstance(name.values[0], ast.Constant):
        first = name.values[0].value
        return isinstance(first, str) and not first.startswith("_")
    return False


def _called(node: ast.Call) -> str:
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _in_text(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Names that are given as texts, in whole: sentences that mention them are none."""
    if text in _ATTRIBUTES:
        yield line, _ATTRIBUTES[text]
    elif text in _MODULES and text not in ("grader", "socket", "select", "__main__"):
        yield line, _MODULES[text]
    elif text.startswith(_TEXTS) and " " not in text:
        yield line, f"it names {text[:40]}"


def _package(name: str) -> str:
    return name.split(".")[0]
