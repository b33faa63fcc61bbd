"""Built-ins that a topic forbids do not exist in its worker.

No oracle runs here, so the kernels behind a built-in can be overridden for the whole process (`kernels`);
what is only Python is replaced by name (`copies`).
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from grader.worker.walls.builtins import copies, kernels
from grader.worker.walls.builtins.differentiation import derivatives, refuse_differentiation
from grader.worker.walls.builtins.families import BUILTINS
from grader.worker.walls.builtins.kernels import Refuse

_sealed: list[Refuse] = []
"""What refuses in this worker what is refused in all of them."""


@dataclass(frozen=True)
class Replaced:
    """Modules of which functions are taken away, those that are not imported yet too: by name, and all in
    some packages."""

    names: frozenset[str] = frozenset()
    packages: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether the module of this name is one."""
        return name in self.names or name.startswith(self.packages)


NOTHING = Replaced()


def forbid(names: Iterable[str], refuse: Refuse) -> Replaced:
    """Take the built-ins away. `refuse(name)` gives the exception to raise where one of them is used."""
    _sealed[:] = [refuse]
    chosen = [BUILTINS[name] for name in names]
    if not chosen:
        return NOTHING
    operators = {operator for builtin in chosen for operator in builtin.operators.split()}
    if "torch" in sys.modules:
        differentiates = any(builtin.differentiates for builtin in chosen)
        operators |= derivatives() if differentiates else set()
        kernels.override(operators, refuse)
        if differentiates:
            refuse_differentiation(refuse)
    by_module: dict[str, set[str]] = {}
    for path in (path for builtin in chosen for path in builtin.functions):
        module, function = _split(path)
        by_module.setdefault(module, set()).add(function)
    whole = {module for builtin in chosen for module in builtin.modules.split()}
    words = {word for builtin in chosen for word in builtin.words.split()}
    for module in copies.PLAIN:
        by_module.setdefault(module, set()).update(operators)
    by_module.setdefault(copies.JAGGED, set()).update(map(copies.jagged, operators))
    copies.replace_functions(by_module, whole, words, operators, refuse)
    return Replaced(frozenset(by_module.keys() | whole), copies.PACKAGES)


def _split(path: str) -> tuple[str, str]:
    """The module of a path, and the function (or class and method) in it."""
    parts = path.split(".")
    end = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    return ".".join(parts[:end]), ".".join(parts[end:])


def prepare() -> None:
    """Do what takes a while and is the same for every worker, before they are forked."""
    copies.look_for_copies()
    if "torch" in sys.modules:
        kernels.overloads()
        kernels.seal(_refuse_sealed)


def _refuse_sealed(name: str) -> BaseException:
    return _sealed[0](name) if _sealed else RuntimeError(f"{name} is not available")
