"""The exercise of a part: the solution without the bodies that the part asks for."""

import ast
from collections.abc import Sequence

from grader.curriculum.exercises.source_lines import SourceLines, StubError
from grader.curriculum.exercises.stub import cut_class, cut_function
from grader.curriculum.parsing import parsed

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def part_of(solution_source: str, names: Sequence[str]) -> str:
    """The solution in which the functions, methods ("KVCache.update") and classes of these names are as in
    its stub. Everything else stands as it is.

    Raises `StubError` for a name that is none of these, and where something private that a class loses is
    still used by what stays.
    """
    lines, module = SourceLines(solution_source), parsed(solution_source)
    definitions = _definitions(module)
    for name in names:
        definition = definitions.get(name)
        if definition is None:
            raise StubError(f"the part asks for {name}, which is no function, method or class of it")
        if name.partition(".")[0] in set(names) - {name}:
            raise StubError(f"the part asks for {name}, and for all of its class")
        if lines.is_given(definition):
            raise StubError(f"the part asks for {name}, which is given")
        if isinstance(definition, ast.ClassDef):
            cut_class(lines, definition)
        else:
            cut_function(lines, definition)
    text = lines.text()
    part = parsed(text)
    gone = {name.rpartition(".")[2] for name in definitions.keys() - _definitions(part).keys()}
    if missing := gone & _used(part):
        raise StubError(f"the part leaves out {min(missing)}, which what stays needs")
    if ast.dump(part) == ast.dump(module):
        raise StubError("the part asks for nothing: these bodies hide nothing")
    return text


def _definitions(module: ast.Module) -> dict[str, _Definition]:
    """Functions, classes and methods by their names."""
    found: dict[str, _Definition] = {}
    for node in module.body:
        if isinstance(node, _Definition):
            found[node.name] = node
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, _Definition):
                    found[f"{node.name}.{inner.name}"] = inner
    return found


def _used(module: ast.Module) -> set[str]:
    names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(module) if isinstance(node, ast.Attribute)}
