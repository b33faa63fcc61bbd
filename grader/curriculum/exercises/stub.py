"""Stubs: the text of an exercise, made from the text of its solution.

Kept are docstrings, signatures, public values and annotations of classes, comments outside of bodies, imports
that are still needed, and what stands between the lines `# given` and `# end given`, with these lines. A body
that is only `...` stays as well: it hides nothing. Nothing is reformatted.
"""

import ast
import re
import symtable
from collections.abc import Sequence
from functools import lru_cache

from grader.curriculum.exercises.source_lines import SourceLines, StubError
from grader.curriculum.parsing import parsed

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = _Function | ast.ClassDef
_Import = ast.Import | ast.ImportFrom


@lru_cache(maxsize=256)
def stub_of(solution_source: str) -> str:
    """The stub of a solution; a stub is its own stub.

    Raises `StubError`, or `SyntaxError` for what is no Python.
    """
    stub = _without_answers(solution_source)
    try:
        stub = _without_gap_below_docstring(_without_unused_imports(stub))
    except SyntaxError as error:
        raise StubError(f"its stub is no Python (is the solution formatted?): {error}") from error
    needed = _used_names(parsed(stub)) & (_module_names(solution_source) - _module_names(stub))
    if needed:
        raise StubError(f"its stub needs {min(needed)}: put that between `# given` and `# end given`")
    return stub


def _without_answers(source: str) -> str:
    module = parsed(source)
    lines = SourceLines(source)
    for statement in module.body:
        if isinstance(statement, _Definition):
            _cut_definition(lines, statement)
        elif not (
            isinstance(statement, _Import) or _is_all(statement) or statement is _docstring(module.body)
        ):
            _leave_out(lines, statement)
    return lines.text()


def _cut_definition(lines: SourceLines, definition: _Definition) -> None:
    if lines.is_given(definition):
        return
    if _is_private(definition.name):
        lines.leave_out(definition)
    elif isinstance(definition, ast.ClassDef):
        cut_class(lines, definition)
    else:
        cut_function(lines, definition)


def cut_class(lines: SourceLines, class_: ast.ClassDef) -> None:
    """Leave of a class what it promises."""
    first = class_.body[0]
    if not lines.begins_line(first):
        return  # `class Full(Exception): ...`
    for statement in class_.body:
        if isinstance(statement, _Definition):
            _cut_definition(lines, statement)
        elif not _is_public_value(statement):
            _leave_out(lines, statement)
    if all(lines.is_left_out(statement) for statement in class_.body):
        lines.add_below(lines.last_line(class_), " " * first.col_offset + "pass")
    elif lines.is_left_out(first):
        lines.close_gap_below(lines.last_code_line_above(first))


def cut_function(lines: SourceLines, function: _Function) -> None:
    """Leave of a function its signature and docstring."""
    docstring = _docstring(function.body)
    body = function.body if docstring is None else function.body[1:]
    if len(body) == 1 and _is_constant(body[0], type(...)):
        return
    if docstring is not None:
        last_kept, indent = docstring.end_lineno or docstring.lineno, docstring.col_offset
    elif lines.begins_line(body[0]):
        last_kept, indent = lines.last_code_line_above(body[0]), body[0].col_offset
    else:  # `def relu(x): return x.clamp(min=0)`
        last_kept, indent = body[0].lineno, function.col_offset + 4
        lines.end_line_before(body[0])
    last = lines.last_line(function)
    for statement in body:
        if not lines.is_given(statement):
            lines.refuse_given_within(statement)
    lines.leave_out_lines(last_kept + 1, last)
    lines.add_below(last, " " * indent + "raise NotImplementedError")


def _leave_out(lines: SourceLines, statement: ast.stmt) -> None:
    if not lines.is_given(statement):
        lines.leave_out(statement)


def _without_unused_imports(source: str) -> str:
    module = parsed(source)
    used = _used_names(module) | _quoted_names(module) | {"annotations", "*"}  # `from __future__`, all names
    lines = SourceLines(source)
    for statement in module.body:
        if isinstance(statement, _Import) and not lines.is_given(statement):
            names = [alias for alias in statement.names if _bound_name(alias) in used]
            if not names:
                lines.leave_out(statement)
            elif len(names) < len(statement.names):
                separator = ", " if statement.lineno == statement.end_lineno else ",\n    "
                text = separator.join(ast.unparse(alias) for alias in names)
                lines.replace(statement.names[0], statement.names[-1], text)
    return lines.text()


def _without_gap_below_docstring(source: str) -> str:
    """One blank line follows the docstring of a formatted module, unless a definition is next."""
    body = parsed(source).body
    docstring = _docstring(body)
    if docstring is None or len(body) == 1 or isinstance(body[1], _Definition):
        return source
    lines = SourceLines(source)
    lines.close_gap_below(docstring.end_lineno or docstring.lineno, keep=1)
    return lines.text()


def _docstring(body: Sequence[ast.stmt]) -> ast.stmt | None:
    return body[0] if body and _is_constant(body[0], str) else None


def _is_constant(statement: ast.stmt, kind: type) -> bool:
    """Whether a statement is nothing but a constant of that type."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and type(statement.value.value) is kind
    )


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _is_all(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and _names(statement.targets) == ["__all__"]


def _is_public_value(statement: ast.stmt) -> bool:
    """Whether it is a part of what a class promises: a value or its annotation, a docstring, or nothing."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return not any(_is_private(name) for name in _names(targets))
    return isinstance(statement, ast.Pass) or _is_constant(statement, str)


def _names(nodes: Sequence[ast.AST]) -> list[str]:
    return [name.id for node in nodes for name in ast.walk(node) if isinstance(name, ast.Name)]


def _bound_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _used_names(module: ast.Module) -> set[str]:
    """The names that stand in the module's code or in `__all__`."""
    return {*_names([module]), *_strings([node for node in module.body if _is_all(node)])}


def _quoted_names(module: ast.Module) -> set[str]:
    """The words in the strings of annotations: forward references, and jaxtyping's shapes."""
    fields = [getattr(node, name, None) for node in ast.walk(module) for name in ("annotation", "returns")]
    annotations = [field for field in fields if field is not None]
    return {word for text in _strings(annotations) for word in re.findall(r"\w+", text)}


def _strings(nodes: Sequence[ast.AST]) -> list[str]:
    constants = [node.value for tree in nodes for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]


def _module_names(source: str) -> set[str]:
    """The names that a module's own code binds."""
    symbols = symtable.symtable(source, "source", "exec").get_symbols()
    return {symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_imported()}
