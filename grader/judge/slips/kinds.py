"""What could stand in the place of what in a function, by mistake: names of one kind."""

import ast
from collections.abc import Iterator, Mapping

SIZE, NUMBER, TENSOR = "size", "number", "tensor"
_OTHER_TENSORS = {"Bool": "mask", "Int": "whole numbers"}
Kinds = dict[str, str]
"""Names, `self.` before those of an object's own, and of which kind each is."""

_ANNOTATED = {"int": SIZE, "float": NUMBER}
_GIVES_SIZES = ("len", "size", "numel", "dim")


def kinds_in_class(node: ast.ClassDef) -> Kinds:
    """What its objects have of their own, by what `__init__` puts there."""
    found: Kinds = {}
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            names = kinds_in_function(method, {})
            for target, value in assigned(method):
                kind = kind_of(value, names)
                if kind is not None and _is_own(target):
                    found[ast.unparse(target)] = kind
    return found


def kinds_in_function(function: ast.FunctionDef, own: Mapping[str, str]) -> Kinds:
    """Its parameters and what it assigns, beside what its object has of its `own`."""
    kinds = dict(own)
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        kind = kind_of_annotation(argument.annotation)
        if kind is not None:
            kinds[argument.arg] = kind
    for target, value in assigned(function):
        kind = kind_of(value, kinds)
        if kind is not None and isinstance(target, ast.Name):
            kinds.setdefault(target.id, kind)
    return kinds


def assigned(function: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is assigned, one target at a time: of a shape that is taken apart each gets the shape."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Tuple):
            yield target, node.value
        elif isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts):
            yield from zip(target.elts, node.value.elts, strict=True)
        else:
            yield from ((each, node.value) for each in target.elts)


def kind_of_annotation(annotation: ast.expr | None) -> str | None:
    """That of what is annotated so; None where it is not known."""
    if annotation is None:
        return None
    text = ast.unparse(annotation).removesuffix(" | None")
    if ("Tensor" in text or "ndarray" in text) and not text.startswith(("list", "tuple", "dict")):
        return _OTHER_TENSORS.get(text.partition("[")[0], TENSOR)
    return None if text == "bool" else _ANNOTATED.get(text, text)


def kind_of(value: ast.expr, kinds: Mapping[str, str]) -> str | None:
    """That of an expression; None where it is not known."""
    match value:
        case ast.Name() | ast.Attribute(value=ast.Name("self")):
            return kinds.get(ast.unparse(value))
        case ast.Attribute(attr="shape") | ast.Subscript(value=ast.Attribute(attr="shape")):
            return SIZE
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int()):
            return SIZE
        case ast.Constant(value=float()):
            return NUMBER
        case ast.BinOp():
            return _kind_of_both(value, kinds)
        case ast.Call():
            return _kind_of_call(value)
    return None


def _kind_of_both(value: ast.BinOp, kinds: Mapping[str, str]) -> str | None:
    sides = {kind_of(value.left, kinds), kind_of(value.right, kinds)}
    if TENSOR in sides or isinstance(value.op, ast.MatMult):
        return TENSOR
    if sides == {SIZE}:
        return NUMBER if isinstance(value.op, ast.Div) else SIZE
    return NUMBER if sides <= {SIZE, NUMBER} else None


def _kind_of_call(value: ast.Call) -> str | None:
    function = ast.unparse(value.func)
    name = function.rpartition(".")[2]
    if name in _GIVES_SIZES:
        return SIZE
    if function.startswith("math."):
        return NUMBER
    if name[:1].isupper():  # a layer: another of its class may be taken for it
        return name
    return TENSOR if "." in function else None


def _is_own(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
