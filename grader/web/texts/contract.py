"""What a topic asks for as HTML: signatures with shapes, and the rules. Made from the stub, like everything
that is asked.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from html import escape

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.source_lines import SourceLines, first_line
from grader.curriculum.parsing import parsed
from grader.practice.exercises.contents import stub
from grader.show.pages.mock import part_text
from grader.web.texts.markup import code, paragraphs, prose, words

_DEFINITIONS = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_DIFFICULTIES = {1: "easy", 2: "medium", 3: "hard"}


def contract_html(topic: Topic) -> str:
    """All of the contract."""
    source = stub(topic)
    module = parsed(source)
    parts = [
        f"<h1>{escape(topic.title)} <code>{escape(topic.name)}</code></h1>",
        f'<p class="quiet">{_DIFFICULTIES[topic.difficulty]}, {topic.minutes} minutes. File: '
        f"<code>{escape(topic.exercise_name)}</code></p>",
        f"<p>{words(part_text(topic).strip())}</p>" if topic.part is not None else "",
        paragraphs(ast.get_docstring(module) or ""),
        *_definitions(module, SourceLines(source), source.split("\n")),
        _sources(topic),
    ]
    return "\n".join(filter(None, parts))


def _definitions(node: ast.Module | ast.ClassDef, source: SourceLines, lines: list[str]) -> Iterator[str]:
    """What is asked for one after the other, and as code what is given for free."""
    for child in node.body:
        if isinstance(child, ast.Import | ast.ImportFrom) or _is_text(child):
            continue
        if source.is_given(child) or not isinstance(child, _DEFINITIONS):
            given = "\n".join(lines[first_line(child) - 1 : child.end_lineno])
            yield code(textwrap.dedent(given)) if not _is_not_written(child) else ""
            continue
        inner = "".join(_definitions(child, source, lines)) if isinstance(child, ast.ClassDef) else ""
        kind = "class" if isinstance(child, ast.ClassDef) else "function"
        yield (
            f'<section class="asked {kind}">{code(_signature(child, lines))}'
            f"{paragraphs(ast.get_docstring(child) or '')}{inner}</section>"
        )


def _is_text(node: ast.stmt) -> bool:
    """Whether this is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_not_written(node: ast.stmt) -> bool:
    """Whether this is the body that a stub has in the place of the answer."""
    return isinstance(node, ast.Raise)


def _signature(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> str:
    """From `def` to its colon, with the shapes, further left if it stands in a class."""
    head = lines[first_line(node) - 1 : node.body[0].lineno - 1] or [lines[node.lineno - 1]]
    return "\n".join(line[node.col_offset :].rstrip() for line in head).rstrip().removesuffix(":")


def _sources(topic: Topic) -> str:
    rows = "".join(
        f'<li><a href="{escape(source.url)}" rel="noreferrer noopener" target="_blank">'
        f"{words(source.title)}</a></li>"
        for source in topic.sources
    )
    return f"<h2>Sources</h2><ul>{rows}</ul>"


def hints_html(topic: Topic, shown: int) -> str:
    """The hints up to a level: words, and at last the skeleton."""
    parts = []
    for level, hint in enumerate(topic.hints[:shown], start=1):
        is_last = level == len(topic.hints)
        body = f'<div class="skeleton">{code(hint.strip(chr(10)))}</div>' if is_last else _steps(hint)
        parts.append(f"<h2>Hint {level} of {len(topic.hints)}</h2>{body}")
    return "".join(parts) or "<p>The idea, then the steps with their shapes, then a skeleton.</p>"


def _steps(hint: str) -> str:
    """Numbered lines stay lines of their own; what stands further left than one does not belong to it."""
    items: list[str] = []
    indent = 0
    for line in hint.strip().split("\n"):
        said = line.strip()
        left = len(line) - len(line.lstrip())
        if not items or not said or re.match(r"\d+\. ", said) or left < indent:
            items.append(said)
            indent = left
        else:
            items[-1] += f" {said}"
    return "".join(f"<p>{prose(item)}</p>" for item in items if item)


def questions_html(topic: Topic) -> str:
    """The interviewer's questions, each with its answer folded."""
    return "".join(
        f"<details><summary>{prose(each.question)}</summary>{paragraphs(each.answer, prose)}</details>"
        for each in topic.questions
    )
