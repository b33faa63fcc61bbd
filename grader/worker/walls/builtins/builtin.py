"""What a family of built-ins is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Builtin:
    """What `pytest.mark.forbid(name)` takes away: aten operators (all overloads), Python functions and
    methods (`module.function`, `module.Class.method`), and all functions and methods of whole modules (which
    can still be imported). Some kernels that differentiate are among the operators: what they give is the
    value (of relu's, for the gradient x) or shows it. Copies in Python of what torch has in kernels are known
    by `words` in their names. `differentiates`: also what computes derivatives below all names.
    """

    operators: str
    functions: tuple[str, ...] = ()
    modules: str = ""
    words: str = ""
    differentiates: bool = False


def methods(module: str, kinds: str, names: str) -> tuple[str, ...]:
    """The paths of these methods of these classes."""
    return tuple(f"{module}.{kind}.{name}" for kind in kinds.split() for name in names.split())
