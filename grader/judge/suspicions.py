"""Places where an answer reaches for the inside of the interpreter: what cannot be refused there is shown.

Read from the syntax of the text; nothing is run.
"""

import ast
from collections.abc import Iterator

from grader.judge.verdict import Suspicion

MAX_SUSPICIONS = 20

_MODULES = {
    "ctypes": "ctypes reaches any memory of the process",
    "_ctypes": "ctypes reaches any memory of the process",
    "gc": "gc finds every object of the process",
    "mmap": "mmap maps files and memory",
    "_posixsubprocess": "_posixsubprocess starts programs",
    "_testcapi": "_testcapi reaches into the interpreter",
    "_testinternalcapi": "_testinternalcapi reaches into the interpreter",
    "grader": "it imports byheart itself",
    "cffi": "cffi reaches any memory of the process",
    "subprocess": "subprocess starts programs",
    "socket": "socket connects to others",
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
}
_TEXTS = ("/proc/self/mem", "/proc/self/maps", "/proc/1/", "torch._C", "grader.worker", "grader.judge")


def suspicions_of(text: str) -> tuple[Suspicion, ...]:
    """What somebody should look at before believing that the answer is one, by line. Nothing for what is not
    Python.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = sorted({(line, what) for node in ast.walk(tree) for line, what in _in(node)})
    return tuple(Suspicion(line, what) for line, what in found[:MAX_SUSPICIONS])


def _in(node: ast.AST) -> Iterator[tuple[int, str]]:
    line = getattr(node, "lineno", 1)
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        yield from ((line, _MODULES[name]) for name in map(_package, names) if name in _MODULES)
    elif isinstance(node, ast.ImportFrom) and _package(node.module or "") in _MODULES:
        yield line, _MODULES[_package(node.module or "")]
    elif isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        yield line, _ATTRIBUTES[node.attr]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from _in_text(node.value, line)


def _in_text(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Names that are given as texts, in whole: sentences that mention them are none."""
    if text in _ATTRIBUTES:
        yield line, _ATTRIBUTES[text]
    elif text in _MODULES and text not in ("grader", "socket"):
        yield line, _MODULES[text]
    elif text.startswith(_TEXTS) and " " not in text:
        yield line, f"it names {text[:40]}"


def _package(name: str) -> str:
    return name.split(".")[0]
