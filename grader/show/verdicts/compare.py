"""What an answer that passes takes, beside the reference."""

import io
import tokenize

from rich.text import Text

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Cost


def comparison_text(topic: Topic, cost: Cost | None, own: str, reference: str) -> Text:
    """Lines of code, and what the topic's typical call costs, where that is measured."""
    rows = [("lines of code", code_lines(own), code_lines(reference))]
    if cost is not None:
        rows += [
            ("matmul FLOPs", cost.matmul_flops, cost.reference_matmul_flops),
            ("elements of the largest tensor", cost.largest_tensor, cost.reference_largest_tensor),
        ]
    text = Text().append(topic.id, style="bold").append(f"  {topic.title}\n\n")
    text.append(f"  {'':<30}  {'yours':>12}  {'reference':>12}", style="bold")
    for name, yours, its in rows:
        text.append(f"\n  {name:<30}  {yours:>12,}  {its:>12,}")
    return text


def code_lines(source: str) -> int:
    """Lines that hold code: no comments, docstrings or blank lines."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    skipped |= {tokenize.ENDMARKER, tokenize.ENCODING}
    lines: set[int] = set()
    statement: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            if any(part.type != tokenize.STRING for part in statement):  # a lone string is a docstring
                lines |= {row for part in statement for row in range(part.start[0], part.end[0] + 1)}
            statement = []
        elif token.type not in skipped:
            statement.append(token)
    return len(lines)
