"""Verdicts in the terminal."""

from dataclasses import replace

import pytest
from show.catalogs import CATALOG, FAILED, PASSED, VERDICTS, is_golden

from grader.show.terminal.meanwhile import Meanwhile
from grader.show.verdicts.sentences import summary_text
from grader.show.verdicts.two_steps import ShownVerdict
from grader.show.verdicts.verdict import brief_text, verdict_text


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str) -> None:
    assert is_golden(verdict_text(VERDICTS[name], CATALOG, 100).plain, name)


@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.parametrize("in_two_steps", [True, False])
def test_in_two_steps_the_same_is_printed(
    name: str, in_two_steps: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = VERDICTS[name]
    shown = ShownVerdict(CATALOG, Meanwhile("Grading"), lambda topic: 0)
    if in_two_steps:
        shown.checked(replace(verdict, diagnosis=None))
    shown.complete(verdict)
    assert capsys.readouterr().out == verdict_text(verdict, CATALOG, 100).plain + "\n"


def test_what_passes_once_says_what_is_tried_and_not_what_to_do_next() -> None:
    once = verdict_text(PASSED, CATALOG, 100, is_searching=True).plain
    assert once.endswith("\n\n  All checks pass. Trying other inputs …")
    assert "Next:" not in once and "checks passed" not in once


def test_narrow_terminal() -> None:
    assert is_golden(verdict_text(FAILED, CATALOG, 50).plain, "narrow")


def test_summary() -> None:
    lines = [brief_text(PASSED, CATALOG), summary_text([PASSED, FAILED]), summary_text([PASSED])]
    assert is_golden("\n".join(line.plain for line in lines), "summary")
