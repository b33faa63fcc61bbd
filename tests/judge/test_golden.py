"""What a learner reads, whole: the submissions in `golden/softmax`, each beside its rendered verdict. All
of it, where that is more, is in `golden/verbose`.

After a change of the words, `BYHEART_GOLDEN=write pytest tests/judge/test_golden.py` writes the texts anew:
read their diff.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from driving import CATALOG, TESTS

from grader.curriculum.catalog import Catalog, Chapter
from grader.curriculum.exercises.files import stub_of
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome
from grader.show.verdicts.one_screen import ROWS
from grader.show.verdicts.verdict import verdict_text

SOFTMAX = CATALOG["softmax"]
CATALOG = Catalog((Chapter(SOFTMAX.chapter, "Foundations", (SOFTMAX,)),))
FOLDER, VERBOSE = TESTS / "golden" / "softmax", TESTS / "golden" / "verbose"
SUBMISSIONS = sorted(FOLDER.glob("*.py"))
WIDTH = 80
WRITE = os.environ.get("BYHEART_GOLDEN") == "write"


@pytest.fixture(scope="module")
def judge() -> Iterator[RemoteJudge]:
    """One that says the same however busy the machine is."""
    with RemoteJudge(repair_seconds=120.0, patience=120.0) as remote:
        yield remote


@pytest.mark.parametrize("submission", SUBMISSIONS, ids=lambda path: path.stem)
def test_message(judge: RemoteJudge, submission: Path, tmp_path: Path) -> None:
    answer = shutil.copy(submission, tmp_path / "softmax.py")
    verdict = replace(judge.grade("softmax", answer), file="exercises/foundations/softmax.py", seconds=1.2)
    text = verdict_text(verdict, CATALOG, WIDTH).plain + "\n"
    assert is_golden(text, submission.with_suffix(".txt"))
    assert text.count("\n") <= ROWS
    whole = verdict_text(verdict, CATALOG, WIDTH, verbose=True).plain + "\n"
    assert whole == text or is_golden(whole, VERBOSE / f"{submission.stem}.txt")


def is_golden(text: str, path: Path) -> bool:
    """Whether a text is the one that is kept there."""
    if WRITE:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8") == text


def test_untouched_is_the_stub() -> None:
    stub = stub_of(SOFTMAX.solution.read_text(encoding="utf-8"))
    untouched = FOLDER / "untouched.py"
    if WRITE:
        untouched.write_text(stub, encoding="utf-8")
    assert untouched.read_text(encoding="utf-8") == stub


def test_what_is_written_of_half_a_file_is_graded(judge: RemoteJudge) -> None:
    verdict = judge.grade("softmax", FOLDER / "half_finished.py")
    assert verdict.outcome is Outcome.FAILED


def test_every_text_has_its_submission() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {path.stem for path in SUBMISSIONS}
