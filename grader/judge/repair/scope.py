"""The functions of an answer, and the names that may stand in them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from grader.judge.slips.kinds import NUMBER, SIZE, TENSOR, Kinds, assigned, kind_of, kind_of_annotation

ANY = ""
"""The kind of a name of which it is not known: it may stand for every other."""
_NUMBERS = ({SIZE, NUMBER}, {NUMBER, TENSOR})
"""Kinds that begin as one and go on as the other: a sum that is 0.0 at first."""
_OBJECTS = ("self", "cls", "ctx")


@dataclass(frozen=True)
class Function:
    """A function or method; the names that may stand in it and of which kind each is; which of them are
    called; the class that it is of; and the solution's numbers.
    """

    node: ast.FunctionDef
    kinds: Kinds
    called: frozenset[str]
    owner: ast.ClassDef | None = None
    numbers: frozenset[float] = frozenset()

    def rivals(self, name: str) -> Iterator[str]:
        """The names that may be meant where this one stands."""
        kind = self.kinds[name]
        for other, theirs in self.kinds.items():
            is_alike = theirs == kind or ANY in (theirs, kind) or {theirs, kind} in _NUMBERS
            if other != name and is_alike and (other in self.called) == (name in self.called):
                yield other


def functions(tree: ast.Module, solution: ast.Module) -> Iterator[Function]:
    """Those of a file."""
    numbers = frozenset(
        node.value
        for node in ast.walk(solution)
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    )
    return (replace(function, numbers=numbers) for function in _functions(tree))


def _functions(tree: ast.Module) -> Iterator[Function]:
    constants = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    shared = {target.id: ANY for target in constants if isinstance(target, ast.Name)}
    annotated = _annotated(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield _function(node, shared, annotated, None)
        elif isinstance(node, ast.ClassDef):
            own = {**shared, **_own(node, annotated)}
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    yield _function(method, own, annotated, node)


def _annotated(tree: ast.Module) -> Kinds:
    """What arguments are by their annotations: those of that name elsewhere, without any, are the same."""
    found: Kinds = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            found[node.arg] = found.get(node.arg) or kind_of_annotation(node.annotation) or ANY
    return found


def _function(node: ast.FunctionDef, shared: Kinds, annotated: Kinds, owner: ast.ClassDef | None) -> Function:
    kinds = {**_kinds(node, annotated), **shared}
    kinds |= {name: kind for name, kind in _kinds(node, annotated, kinds).items() if name not in shared}
    called = frozenset(ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call))
    return Function(node, kinds, called, owner)


def _kinds(node: ast.FunctionDef, annotated: Kinds, known: Kinds | None = None) -> Kinds:
    """Of its arguments, of what gets a value in it, and of what a context keeps. What is `known` of others
    helps."""
    arguments = [each for each in ast.walk(node) if isinstance(each, ast.arg)]
    is_of_context = any(each.arg == "ctx" for each in arguments)
    found = {
        each.arg: kind_of_annotation(each.annotation)
        or annotated[each.arg]
        or (TENSOR if is_of_context else ANY)
        for each in arguments
        if each.arg not in _OBJECTS
    }
    found |= {ast.unparse(each): ANY for each in ast.walk(node) if _is_kept(each)} | _counted(node)
    kinds = {**(known or {}), **found}
    for target, value in assigned(node):
        name = ast.unparse(target)
        if name in found and not found[name]:
            found[name] = kinds[name] = kind_of(value, kinds) or _kind_of_part(value, kinds)
    return found


def _is_kept(node: ast.AST) -> bool:
    """Whether it is a name that gets a value, or something that a context keeps."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "ctx" and node.attr != "needs_input_grad"
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _kind_of_part(value: ast.expr, kinds: Kinds) -> str:
    """That of parts of tensors, of what a context has saved, and of sizes that are divided."""
    match value:
        case ast.Subscript(value=ast.Name(name)) if kinds.get(name) == TENSOR:
            return TENSOR
        case ast.Attribute(attr="saved_tensors"):
            return TENSOR
        case ast.BinOp(op=ast.FloorDiv()):
            return SIZE
        case ast.UnaryOp(operand=ast.Name(name)) | ast.IfExp(body=ast.Name(name)):
            return kinds.get(name, ANY)
    return ANY


def _counted(node: ast.FunctionDef) -> Kinds:
    """The names of loops over numbers."""
    return {
        each.target.id: SIZE
        for each in ast.walk(node)
        if isinstance(each, ast.For | ast.comprehension)
        and isinstance(each.target, ast.Name)
        and isinstance(each.iter, ast.Call)
        and ast.unparse(each.iter.func) == "range"
    }


def _own(node: ast.ClassDef, annotated: Kinds) -> Kinds:
    """What the objects of a class have: all that is read of `self`, but for methods."""
    methods = [method for method in node.body if isinstance(method, ast.FunctionDef)]
    called = {method.name for method in methods if not method.decorator_list}
    found = {
        ast.unparse(each): annotated.get(each.attr, ANY)
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
        and each.attr not in called
    }
    for method in methods:
        if method.name == "__init__":
            for target, value in assigned(method):
                name = ast.unparse(target)
                if not found.get(name, SIZE):
                    kinds = {**found, **_kinds(method, annotated)}
                    found[name] = kind_of(value, kinds) or _kind_of_part(value, kinds)
    return found
