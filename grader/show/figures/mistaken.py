"""Known mistakes, run for real: the solution with one of its topic's mistakes in it, as a module."""

import difflib
import linecache
import textwrap
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rich.text import Text

from grader.curriculum.catalog import Catalog, Topic, load_catalog
from grader.judge.verdict import Outcome, Verdict
from grader.show.cards import Card, preformatted, prose, stacked, text_card

if TYPE_CHECKING:
    from grader.kit.mistakes import Mistake  # loads torch, which not every notebook needs

SHOWN = 3
"""Failing checks that are shown of a mistake."""


@dataclass(frozen=True)
class Mistaken:
    """A solution with a mistake: its functions and classes are attributes (`mistaken.softmax(x)`).

    Shows itself as the edit and what there is to say about it.
    """

    topic: Topic = field(repr=False)
    mistake: "Mistake" = field(repr=False)
    source: str = field(repr=False)
    module: ModuleType

    @property
    def says(self) -> str:
        """What the learner is told."""
        return self.mistake.says

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def verdict(self) -> Verdict:
        """What the topic's checks find in it, in a process of its own: which mistake it is, is known."""
        from grader.judge.service.warm import grade_source

        return grade_source(self.topic, self.source, explained=False)

    def graded(self) -> Card:
        """The edit and the words, and below them the checks that the grader rejects it by."""
        from grader.show.verdicts.outcomes import WORDS

        checks = self.verdict().checks
        failing = [check for check in checks if check.outcome is not Outcome.PASSED]
        found = Text(f"{len(checks) - len(failing)} of {len(checks)} checks pass\n")
        for check in failing[:SHOWN]:
            found.append(f"{WORDS[check.outcome]}  ", style="bold red").append(f"{check.title}\n")
            found.append(textwrap.indent(check.message, " " * 6) + "\n")
        if len(failing) > SHOWN:
            found.append(f"... and {len(failing) - SHOWN} more fail")
        found.rstrip()
        return stacked(self.card(), text_card(found))

    def card(self) -> Card:
        """The edit and the words."""
        edit = Text()
        for line in _edit(self.topic.solution.read_text(encoding="utf-8"), self.source):
            edit.append(line + "\n", style={"-": "red", "+": "green"}.get(line[0], ""))
        edit.rstrip()
        page = f'<p style="margin:0 0 0.5em 0">{prose(self.says)}</p>{preformatted(edit)}'
        return Card(page, f"{self.says}\n\n{edit.plain}")

    def _repr_html_(self) -> str:
        return self.card()._repr_html_()

    def __repr__(self) -> str:
        return self.card().text


def mistake_ids(topic: str) -> list[str]:
    """The ids of the mistakes that a topic knows."""
    return [mistake.id for mistake in _mistakes(_catalog()[topic])]


def mistake(topic: str, id_: str) -> Mistaken:
    """The solution of a topic with one of its mistakes. LookupError with the known ids for another one."""
    found = _catalog()[topic]
    known = {mistake.id: mistake for mistake in _mistakes(found)}
    if id_ not in known:
        raise LookupError(f"{topic} has no mistake {id_!r}; it has: {', '.join(known)}")
    source = known[id_].applied(found.solution.read_text(encoding="utf-8"))
    name = f"{topic} with {id_}"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    module = ModuleType(topic)
    module.__file__ = name
    exec(compile(source, name, "exec"), vars(module))
    return Mistaken(found, known[id_], source, module)


@cache  # a notebook asks for several
def _catalog() -> Catalog:
    return load_catalog()


def _mistakes(topic: Topic) -> "tuple[Mistake, ...]":
    from grader.judge.checks.reading import read_checks

    return read_checks(topic).mistakes


def _edit(before: str, after: str) -> list[str]:
    """The lines that differ, each with the sign of its side, and one line around them."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    shown = [line for line in lines if not line.startswith(("---", "+++"))]
    return [" ⋮" if line.startswith("@@") else line for line in shown if line.strip() or line == ""][1:] or [
        " "
    ]
