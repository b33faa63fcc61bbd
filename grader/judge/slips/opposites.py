"""What is easily taken for its opposite or its neighbour, and where a dimension is said."""

import ast
import re
from collections.abc import Iterator

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}
OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
WORDS = {
    **{"<": "less", "<=": "at-most", ">": "more", ">=": "at-least"},
    **{"+": "plus", "-": "minus", "*": "times", "/": "divided", "**": "power", "&": "and", "|": "or"},
}
_ONE_WAY = {"mean": "sum", "max": "min", "amax": "amin", "argmax": "argmin", "sin": "cos", "floor": "ceil"}
FUNCTIONS = _ONE_WAY | {other: name for name, other in _ONE_WAY.items()}
ALONG = frozenset(
    ("sum", "mean", "amax", "amin", "argmax", "argmin", "cumsum", "softmax", "sort", "std", "var", "size")
)
"""Methods whose first argument is a dimension."""


def dimensions_in(node: ast.expr) -> Iterator[ast.expr]:
    """The numbers in an expression, but not in its parts, that say a dimension."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        if node.value.attr == "shape" and _is_number(node.slice):
            yield node.slice
    elif isinstance(node, ast.Call):
        is_along = isinstance(node.func, ast.Attribute) and node.func.attr in ALONG
        if is_along and node.args and _is_number(node.args[0]):
            yield node.args[0]
        for keyword in node.keywords:
            if keyword.arg in ("dim", "axis") and _is_number(keyword.value):
                yield keyword.value


def _is_number(node: ast.expr) -> bool:
    return bool(re.fullmatch(r"-?\d+", ast.unparse(node)))
