"""What every notebook has: nine parts in this order, the last with a cell to try it in."""

import ast

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.source_lines import SourceLines
from grader.curriculum.exercises.stub import stub_of
from grader.curriculum.parsing import parsed

PARTS = (
    "## 1. What it is and why it exists",
    "## 2. The formula and the shapes",
    "## 3. A worked example by hand",
    "## 4. The reference, step by step",
    "## 5. In pictures",
    "## 6. What goes wrong",
    "## 7. What it costs",
    "## 8. What the interviewer asks next",
    "## 9. Try it",
)
"""The headings, each the first line of a Markdown cell."""

MOST_LINES = 6
"""Lines that a code cell may have; the one to try it in has as many as its signatures need."""
FEWEST_CELLS, MOST_CELLS = 15, 30
"""Cells that a notebook may have, answers in words not counted."""


def try_source(topic: Topic) -> str:
    """The cell to try a topic in: what its exercise asks for, without the docstrings."""
    stub = stub_of(topic.solution.read_text(encoding="utf-8"))
    lines = SourceLines(stub)
    for node in ast.walk(parsed(stub)):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            docstring = node.body[0]
            if len(node.body) > 1 and not lines.is_given(docstring):
                last = docstring.end_lineno or docstring.lineno
                lines.leave_out_lines(docstring.lineno, last)
                lines.close_gap_below(last)
    return f"%%check {topic.id}\n{lines.text().strip()}"
