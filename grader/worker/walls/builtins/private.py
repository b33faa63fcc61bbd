"""Private parts of torch in a text of Python, and packages that it brings along: no answer needs them, and
what is forbidden has copies there.

Read from the syntax alone: names bound by imports and plain assignments are followed, and texts where a name
is given as one.
"""

import ast
import re
from collections.abc import Iterator

_PUBLIC = frozenset(("_assert", "_check", "_dynamo", "_int_mm"))
"""Names with an underscore that people write, and that lead nowhere; so do those of `_foreach_`."""
_PRIVATE_PACKAGES = (
    *("torch.onnx", "torch.ao", "torch.quantization", "torch.distributed.tensor"),
    *("torch.distributed._tensor", "torch.testing._internal", "torch.nested._internal"),
    *(
        "torch.nn.quantizable",
        "torch.nn.quantized",
        "torch.nn.qat",
        "torch.nn.intrinsic",
    ),  # names of torch.ao
    "torch._dynamo.trace_rules",  # imports what it is told the name of
    # What counts and notes the operations of an answer stands there.
    *("torch.utils._python_dispatch", "torch.utils._mode_utils"),
    *("torch.sparse._semi_structured_ops", "torch.overrides._get_current_function_mode"),
    *("torch.overrides._get_current_function_mode_stack", "torch.overrides._len_torch_function_stack"),
)
_LIFTING = frozenset(("no_dispatch", "_disable_current_modes", "_pop_mode", "_pop_mode_temporarily"))
"""What computes where nothing is counted: many modules of torch have it."""
_OPERATORS = (
    *("prims", "higher_order", "onnx", "quantized", "_quantized", "quantization", "mkldnn", "mkl", "onednn"),
    *("mkldnn_prepacked", "sparse", "static_runtime", "inductor", "inductor_prims", "symm_mem"),
    *("rngprims", "prim"),
)
"""The namespaces of operators that torch has beside aten."""
_INSIDE = frozenset(("_refs", "_decomp", "_prims", "_higher_order_ops", "_inductor", "_C", "_VF", "_te"))
"""Names of private parts that stand for themselves, whatever they are asked of."""
_CALCULATORS = ("mpmath", "sympy", "gmpy2")
"""Packages that torch brings along. To import one does no harm, to use it does."""
_PACKAGES = ("torch", *_CALCULATORS)
_TEXT = re.compile(rf"({'|'.join(_PACKAGES)})(\.\w+)*")
_ASKING = frozenset(
    ("import_module", "__import__", "find_spec", "run_module", "resolve_name", "reload", "get", "pop")
)
"""Calls whose first argument is the name of a module."""


def private_parts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and the name of every private part of torch that the text reaches for."""
    known = _Names()
    nodes = list(ast.walk(tree))
    for node in nodes:
        known.learn_import(node)
    for node in nodes:
        known.learn_assignment(node)
    for node in nodes:
        for name in known.reached(node):
            package = name.partition(".")[0]
            if (private := package if package in _CALCULATORS else private_part(name)) is not None:
                yield getattr(node, "lineno", 1), private


def private_parts_of_text(text: str) -> list[str]:
    """The private parts that a text reaches for which is made while another one runs: it does not show what
    its names stand for.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names = [name for _, name in private_parts(tree)]
    attributes = [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return names + [name for name in attributes if name in _INSIDE]


def private_part(name: str) -> str | None:
    """The part of a dotted name up to where it becomes private."""
    parts = name.split(".")
    if parts[0] != "torch":
        return None
    for end, part in enumerate(parts[1:], 2):
        before = ".".join(parts[: end - 1])
        is_private = before == "torch" and part.startswith("_") and not part.startswith("__")
        if is_private and part not in _PUBLIC and not part.startswith("_foreach_"):
            return ".".join(parts[:end])
        if part in _LIFTING or (before == "torch.ops" and part in _OPERATORS):
            return ".".join(parts[:end])
        if (package := ".".join(parts[:end])) in _PRIVATE_PACKAGES:
            return package
    return None


def said_of(name: str) -> str:
    """What is said where a text reaches for it."""
    if name.partition(".")[0] in _CALCULATORS:
        return f"{name} computes what answers write out: torch and NumPy are enough"
    return f"{name} is a private part of torch: no answer needs it, and none may use it"


class _Names:
    """What the names of a text stand for, as far as they are one of these packages or in it."""

    def __init__(self) -> None:
        self._full: dict[str, str] = {}

    def learn_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if (package := alias.name.split(".")[0]) in _PACKAGES:
                    self._full[alias.asname or package] = alias.name if alias.asname else package
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _PACKAGES:
            for alias in node.names:
                self._full[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def learn_assignment(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign) and (full := self.full_name(node.value)) is not None:
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id not in self._full:
                    self._full[target.id] = full

    def full_name(self, node: ast.AST) -> str | None:
        """`torch.nn.functional` for an expression that is it, None for what is not in torch."""
        if isinstance(node, ast.Name):
            return self._full.get(node.id)
        if isinstance(node, ast.Attribute):
            if node.attr == "torch":
                return "torch"  # as modules of torch have it
            before = self.full_name(node.value)
            return f"{before}.{node.attr}" if before is not None else None
        if isinstance(node, ast.Call) and _called(node) in ("getattr", "attrgetter") and len(node.args) > 1:
            before, name = self.full_name(node.args[0]), _text(node.args[1])
            return f"{before}.{name}" if before is not None and name is not None else None
        if isinstance(node, ast.Call) and _called(node) in _ASKING and node.args:
            return _torch_name(node.args[0])
        if isinstance(node, ast.Subscript):
            return self._item(node)
        return None

    def _item(self, node: ast.Subscript) -> str | None:
        """`sys.modules["torch"]`, `vars(torch)["nn"]`, `torch.__dict__["nn"]`."""
        if (name := _torch_name(node.slice)) is not None:
            return name
        name, space = _text(node.slice), node.value
        if isinstance(space, ast.Call) and _called(space) == "vars" and space.args:
            before = self.full_name(space.args[0])
        elif isinstance(space, ast.Attribute) and space.attr == "__dict__":
            before = self.full_name(space.value)
        else:
            before = None
        return f"{before}.{name}" if before is not None and name is not None else None

    def reached(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):  # without another name it binds `torch`: the use of it is seen
            names = [alias.name for alias in node.names if alias.asname is not None]
            yield from (name for name in names if name.startswith("torch"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
            name = self.full_name(node)
            if name is None and isinstance(node, ast.Call):
                name = self.full_name(node.func)  # as `from` has imported it
            if name is not None:
                yield name


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _text(node: ast.AST) -> str | None:
    """A text that stands there, also in pieces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.JoinedStr):
        parts = [_text(part.value if isinstance(part, ast.FormattedValue) else part) for part in node.values]
        return "".join(part for part in parts if part is not None) if None not in parts else None
    return None


def _torch_name(node: ast.AST) -> str | None:
    text = _text(node)
    return text if text is not None and _TEXT.fullmatch(text) else None
