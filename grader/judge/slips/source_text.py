"""A source by the places of its nodes, to change it there."""

import ast
from collections.abc import Iterator

Edit = tuple[int, int, str]
"""From where to where, and the text to put there."""


class SourceText:
    """The text of a source, and of the nodes in it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        """Where a node begins."""
        return self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        """Where it ends."""
        return self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def of(self, node: ast.AST) -> str:
        """Its text."""
        return self.source[self.start(node) : self.end(node)]

    def between(self, one: ast.AST, other: ast.AST) -> str:
        """What stands between two nodes."""
        return self.source[self.end(one) : self.start(other)]

    def line(self, place: int) -> int:
        """The line that a place is in."""
        return self.source.count("\n", 0, place) + 1

    def find(self, part: str, start: int, end: int) -> int:
        """Where a part stands between two places."""
        return self.source.index(part, start, end)

    def edit(self, node: ast.AST, new: str) -> Edit:
        """To put a text in the place of a node."""
        return self.start(node), self.end(node), new

    def edit_sign(self, old: str, new: str, left: ast.AST, right: ast.AST) -> Edit:
        """To put a sign in the place of another one between two nodes."""
        start = self.find(old, self.end(left), self.start(right))
        return start, start + len(old), new

    def replaced(self, *edits: Edit) -> str:
        """The source with these edits, which do not touch one another."""
        text = self.source
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _offset(self, line: int, column: int) -> int:
        # Python counts columns in UTF-8 bytes.
        prefix = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(prefix)


def expressions(function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """The expressions in a function's body, each with the statement that it is in; not those of errors."""
    left: list[tuple[ast.stmt, ast.AST]] = [(statement, statement) for statement in reversed(function.body)]
    while left:
        statement, node = left.pop()
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.arguments):
            continue
        if isinstance(node, ast.expr):
            yield statement, node
        for child in reversed(list(ast.iter_child_nodes(node))):
            left.append((child if isinstance(child, ast.stmt) else statement, child))


def nodes(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The same without the statements."""
    return (node for _, node in expressions(function))
