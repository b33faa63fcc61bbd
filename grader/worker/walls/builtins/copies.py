"""What is only Python: composites of allowed parts, and torch's second implementations of its operators.

They are replaced by name, and emptied in place, since tables, closures and other modules hold them too.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.machinery import ModuleSpec
from types import CodeType, FunctionType, ModuleType
from typing import Any

from grader.worker.walls.builtins.families import BUILTINS
from grader.worker.walls.builtins.kernels import Refuse, refusing
from grader.worker.walls.builtins.sealing import is_sealed, sealed

PACKAGES = (
    *("torch._refs", "torch._decomp", "torch._prims", "torch._higher_order_ops", "torch._native"),
    *("torch._inductor", "torch._functorch", "torch.onnx", "torch.ao", "torch.distributed.tensor"),
    *("torch.nested._internal", "torch.nn.utils._expanded_weights"),
)
"""Packages with implementations in Python of what torch has in kernels."""
PLAIN = (
    *("torch._decomp", "torch._refs", "torch._refs.nn.functional", "torch._refs.special"),
    "torch._decomp.decompositions",
)
"""Those of their modules where they go by the operators' own names."""
JAGGED = "torch.nested._internal.ops"
"""Where those for tensors of many lengths are."""
SEALED = (
    *("torch._refs", "torch._decomp", "torch._prims", "torch._higher_order_ops", "torch._native"),
    *("torch._functorch", "torch.onnx.ops", "torch.nested._internal", "torch.nn.utils._expanded_weights"),
)
"""Packages in which no function of such a name is called by the import of a module."""
_SCRIPTED = "torch._decomp.decompositions_for_jvp"
"""One of their modules whose import compiles functions from their texts."""


def replace_functions(
    by_module: dict[str, set[str]], whole: set[str], words: set[str], operators: set[str], refuse: Refuse
) -> None:
    """Refuse these functions from now on, also in modules that are imported later. `words` are looked for in
    the names of the copies, `operators` in the tables where torch keeps them.
    """
    finder = _Replacer(by_module, whole, words, operators, refuse)
    for name in by_module.keys() | whole:
        if name in sys.modules:
            finder.replace(sys.modules[name], name)
    for word in words:
        for function, place, name in known_copies()[word]:
            finder.empty(place, name, function)
    finder.replace_registered()
    find = finder.find_spec

    class Finder:
        """What can be found among the finders: it shows nothing of what is replaced."""

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
            return find(name)

    sys.meta_path.insert(0, Finder)


@cache
def known_copies() -> dict[str, list[tuple[Any, ModuleType, str]]]:
    """By the words of all families: the functions in the modules of copies that are loaded, each with its
    place. Takes a while.
    """
    modules = [module for name, module in list(sys.modules.items()) if _has_copies(name)]
    functions = [found for module in modules for found in _functions_of(module)]
    words = {word for builtin in BUILTINS.values() for word in builtin.words.split()}
    return {word: [found for found in functions if word in found[2]] for word in words}


def _has_copies(name: str) -> bool:
    return name.startswith(PACKAGES) and isinstance(sys.modules.get(name), ModuleType | None)


def _functions_of(module: ModuleType) -> Iterator[tuple[Any, ModuleType, str]]:
    """Functions, not those that only differentiate: they give no values."""
    for name, value in list(vars(module).items()):
        if isinstance(value, FunctionType) and _gives_values(name):
            yield value, module, name


def jagged(operator: str) -> str:
    """What the function is called that is an operator for tensors of many lengths."""
    return "_softmax_backward" if operator == "_softmax_backward_data" else f"{operator}_default"


def _gives_values(name: str) -> bool:
    return "backward" not in name


def _tables() -> list[dict[Any, Any]]:
    """The tables in which torch keeps Python copies of its operators, by overload."""
    return list(vars(sys.modules.get("torch._decomp", object)).get("global_decomposition_table", {}).values())


@cache
def _registered(size: int) -> dict[str, list[tuple[int, Any]]]:
    """By operator: the numbers of the tables that have it, and its overloads there. `size` is that of all of
    them: they grow when modules are imported. This also takes a while.
    """
    found: dict[str, list[tuple[int, Any]]] = {}
    for number, table in enumerate(_tables()):
        for overload in table:
            operator = getattr(getattr(overload, "overloadpacket", None), "__name__", "")
            found.setdefault(operator, []).append((number, overload))
    return found


@cache
def _held_in_numpy() -> dict[int, list[tuple[Any, ModuleType, str]]]:
    """By the identity of a function: the function, and where NumPy's modules hold it or what has it as its
    `f`. Takes a while, too.
    """
    found: dict[int, list[tuple[Any, ModuleType, str]]] = {}
    for module in [module for name, module in list(sys.modules.items()) if name.startswith("numpy.")]:
        for name, value in list(vars(module).items()):
            for function in (value, getattr(value, "f", None)):
                if callable(function):
                    found.setdefault(id(function), []).append((function, module, name))
    return found


def look_for_copies() -> None:
    """Do what takes a while and is the same for every worker, before they are forked; again when more is
    loaded."""
    known_copies.cache_clear()
    _held_in_numpy.cache_clear()
    _held_in_numpy()
    if "torch" in sys.modules:
        known_copies()
        _registered(sum(map(len, _tables())))


class _Replacer:
    """Replaces functions in modules, in those not yet imported as soon as they are; in `whole` modules all
    functions, and the methods of all classes: the classes stay, so that an import or `isinstance` is no use
    of them.
    """

    def __init__(
        self,
        by_module: dict[str, set[str]],
        whole: set[str],
        words: set[str],
        operators: set[str],
        refuse: Refuse,
    ) -> None:
        self._by_module = by_module
        self._whole = whole
        self._words = words
        self._operators = operators
        self._refuse = refuse
        self._busy: set[str] = set()

    def replace(self, module: ModuleType, module_name: str) -> None:
        for path in self._by_module.get(module_name, ()):
            place: Any = module
            *outer, name = path.split(".")
            for part in outer:
                place = getattr(place, part)
            if name in vars(place):
                value = vars(place)[name]
                self.empty(place, name, value, _told(path))
                if module_name.startswith("numpy"):
                    self._replace_in_numpy(value, vars(place)[name])
        if module_name in self._whole:
            self._replace_all(module)

    def _replace_in_numpy(self, value: Any, refused: Any) -> None:
        """Its private modules hold the same functions, and its masked arrays call them; they have methods."""
        for method in ("reduce", "accumulate", "reduceat", "outer", "at"):
            setattr(refused, method, refused)
        if id(value) not in _held_in_numpy():  # it was imported since
            _held_in_numpy.cache_clear()
        for _, module, name in _held_in_numpy().get(id(value), ()):
            setattr(module, name, refused)

    def replace_imported(self, module: ModuleType, name: str) -> None:
        """The same for one that was not there before."""
        self.replace(module, name)
        if name.startswith(PACKAGES):
            for function, place, own in _functions_of(module):
                if self._is_copy(own):
                    self.empty(place, own, function)
            self.replace_registered()

    def empty(self, place: Any, name: str, value: Any, told: str | None = None) -> None:
        """Refuse what stands there, whoever else holds it. `told`: what to call it if not by its name."""
        refused = refusing(told or _told(name), self._refuse)
        setattr(place, name, refused)
        for function in _layers(value):
            if not function.__code__.co_freevars and not is_sealed(function.__code__):
                function.__code__ = _code_of(refused, function.__code__)

    def replace_registered(self) -> None:
        """The Python copies are also kept in tables by operator."""
        tables = _tables()
        places = _registered(sum(map(len, tables)))
        for operator in self._operators & places.keys():
            for table, overload in places[operator]:
                tables[table][overload] = refusing(operator.strip("_"), self._refuse)

    def _replace_all(self, module: ModuleType) -> None:
        package = module.__name__.rpartition(".")[0]
        for name, value in list(vars(module).items()):
            if not str(getattr(value, "__module__", "")).startswith(package):
                continue  # what it has imported from elsewhere
            if isinstance(value, FunctionType):
                self.empty(module, name, value)
            elif isinstance(value, type):
                for method, function in list(vars(value).items()):
                    if isinstance(function, FunctionType | staticmethod | classmethod):
                        setattr(value, method, refusing(value.__qualname__, self._refuse))

    def find_spec(self, name: str) -> ModuleSpec | None:
        is_known = name in self._by_module or name in self._whole or name.startswith(PACKAGES)
        if not is_known or name in self._busy:
            return None
        self._busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy.remove(name)  # a module may be imported anew
        if spec is None or spec.loader is None:
            return None
        loader: Any = spec.loader
        execute, compiled = loader.exec_module, loader.get_code

        def execute_and_replace(module: ModuleType) -> None:
            execute(module)
            self.replace_imported(module, name)

        def get_sealed_code(name: str) -> CodeType | None:
            code = compiled(name)
            return None if code is None else sealed(code, partial(self._instead, name))

        loader.get_code, loader.exec_module = get_sealed_code, execute_and_replace
        return spec

    def _instead(self, module: str, name: str) -> Callable[..., Any] | None:
        """What refuses the function of this name in a module, if it is one of those."""
        is_named = name in self._by_module.get(module, ())
        is_sealed_here = module.startswith(SEALED) and module != _SCRIPTED and "." not in name
        if is_named or (is_sealed_here and self._is_copy(name)):
            return refusing(_told(name), self._refuse)
        return None

    def _is_copy(self, name: str) -> bool:
        return _gives_values(name) and any(word in name for word in self._words)


def _told(path: str) -> str:
    """What to call a function in what is said of it: what makes an object goes by the name of its class."""
    *outer, name = path.split(".")
    return (outer[-1] if outer and name == "__init__" else name).strip("_")


def _layers(value: Any) -> Iterator[FunctionType]:
    """A function and those that it decorates."""
    while isinstance(value, FunctionType):
        yield value
        value = vars(value).get("__wrapped__")


_PLACE = "the function to call"


def _template(*args: Any, **kwargs: Any) -> Any:
    function: Any = "the function to call"
    return function(*args, **kwargs)


def _code_of(refused: Callable[..., Any], old: CodeType) -> CodeType:
    """Code that calls `refused`, whatever globals it runs with, by the name of the old one."""
    code = _template.__code__
    constants = tuple(refused if item == _PLACE else item for item in code.co_consts)
    return code.replace(co_consts=constants, co_name=old.co_name)
