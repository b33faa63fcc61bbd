"""The lines of a Python source, of which some are left out while all others stay as they are."""

import ast
import io
import tokenize


class StubError(ValueError):
    """No stub can be made of a solution; the message says what is in the way."""


class SourceLines:
    """A source's lines, numbered from 1. Those between `# given` and `# end given` are never left out."""

    def __init__(self, source: str) -> None:
        self._lines = ["", *source.split("\n")]
        self._comments = _comment_lines(source)
        self._given = _given_lines(self._comments)
        self._left_out: set[int] = set()
        self._below: dict[int, str] = {}

    def text(self) -> str:
        """What is left. Where lines are missing, the larger one of the two gaps around them stays."""
        out: list[str] = []
        gap_above = gap = 0
        for number, line in enumerate(self._lines[1:], start=1):
            if number in self._left_out:
                gap_above, gap = max(gap_above, gap), 0
            elif not line.strip():
                gap += 1
            else:
                if out:
                    out += [""] * max(gap_above, gap)
                out.append(line)
                gap_above = gap = 0
            if number in self._below:
                out.append(self._below[number])
                gap_above = gap = 0
        return "".join(f"{line}\n" for line in out)

    def is_given(self, statement: ast.stmt) -> bool:
        """Whether a statement stands between `# given` and `# end given`."""
        return first_line(statement) in self._given

    def is_left_out(self, statement: ast.stmt) -> bool:
        """Whether a statement was left out."""
        return first_line(statement) in self._left_out

    def begins_line(self, statement: ast.stmt) -> bool:
        """Whether nothing stands before a statement on its line."""
        return not self._before(statement).strip()

    def last_code_line_above(self, statement: ast.stmt) -> int:
        """The number of the line above a statement that is neither blank nor a comment."""
        number = first_line(statement) - 1
        while self._is_blank(number) or number in self._comments:
            number -= 1
        return number

    def last_line(self, statement: ast.stmt) -> int:
        """The number of a statement's last line, with the comments that follow within its body."""
        number = last = statement.end_lineno or statement.lineno
        while self._is_blank(number + 1) or self._is_comment(number + 1):
            number += 1
            if self._is_comment(number) and self._indent(number) > statement.col_offset:
                last = number
        return last

    def leave_out(self, statement: ast.stmt) -> None:
        """Leave out a statement and the comment directly above it."""
        self.refuse_given_within(statement)
        first = first_line(statement)
        while self._is_comment(first - 1) and self._indent(first - 1) == statement.col_offset:
            first -= 1
        self.leave_out_lines(first, self.last_line(statement))

    def refuse_given_within(self, statement: ast.stmt) -> None:
        """Raise `StubError` if a part of a statement is given."""
        if given := self._given.intersection(range(first_line(statement), self.last_line(statement) + 1)):
            raise StubError(f"line {min(given)}: `# given` stands within something that is left out")

    def leave_out_lines(self, first: int, last: int) -> None:
        """Leave out the lines from `first` to `last` that are not given."""
        self._left_out.update(set(range(first, last + 1)) - self._given)

    def close_gap_below(self, number: int, keep: int = 0) -> None:
        """Leave out all but `keep` of the blank lines between a line and the next one that stays."""
        last = number
        while self._is_blank(last + 1) or last + 1 in self._left_out:
            last += 1
        self._left_out.update(range(number + 1 + keep, last + 1))

    def end_line_before(self, statement: ast.stmt) -> None:
        """End a statement's first line before the statement."""
        self._lines[statement.lineno] = self._before(statement).rstrip()

    def replace(self, first: ast.alias, last: ast.alias, text: str) -> None:
        """Put a text in the place of what stands from one name to another in an import."""
        before = self._lines[first.lineno].encode()[: first.col_offset].decode()
        after = self._lines[last.end_lineno or last.lineno].encode()[last.end_col_offset :].decode()
        self._lines[first.lineno] = before + text + after
        self.leave_out_lines(first.lineno + 1, last.end_lineno or last.lineno)

    def add_below(self, number: int, text: str) -> None:
        """Add a line below one, which may itself be left out."""
        self._below[number] = text

    def _before(self, statement: ast.stmt) -> str:
        # Python counts columns in UTF-8 bytes.
        return self._lines[first_line(statement)].encode()[: statement.col_offset].decode()

    def _is_blank(self, number: int) -> bool:
        return number < len(self._lines) and not self._lines[number].strip()

    def _is_comment(self, number: int) -> bool:
        return number in self._comments and number not in self._given

    def _indent(self, number: int) -> int:
        line = self._lines[number]
        return len(line) - len(line.lstrip())


def first_line(statement: ast.stmt) -> int:
    """The number of a statement's first line, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _comment_lines(source: str) -> dict[int, str]:
    """The lines that are only a comment, by number."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = (token for token in tokens if token.type == tokenize.COMMENT)
    return {token.start[0]: token.string for token in comments if token.line.lstrip().startswith("#")}


def _given_lines(comments: dict[int, str]) -> set[int]:
    """The numbers of the lines from each `# given` to its `# end given`."""
    given: set[int] = set()
    start: int | None = None
    for number, comment in comments.items():
        if comment not in ("# given", "# end given"):
            continue
        if (comment == "# given") == (start is not None):
            raise StubError(f"line {number}: `{comment}` without its other half")
        if start is None:
            start = number
        else:
            given.update(range(start, number + 1))
            start = None
    if start is not None:
        raise StubError(f"line {start}: `# given` without its other half")
    return given
