"""How far a batch is, in a pipe: a line now and then."""

import pytest
from batch.rows import failed, row

from grader.batch.running import progress
from grader.batch.running.batch import Tally
from grader.batch.running.progress import shown_progress


def test_a_line_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    tally = Tally(40)
    with shown_progress() as seen:
        seen(tally)
        for number in range(20):
            now[0] += 2.0
            tally.note(row(f"s{number}", made=failed() if number % 2 else None))
            seen(tally)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0] == "8 of 40, about 1:04 left; 4 passed, 4 not, slowest 0.5 s (s7 sdpa)"


def test_what_could_not_be_graded_is_counted() -> None:
    from dataclasses import replace

    tally = Tally(1)
    tally.note(replace(row(), verdict=None, fault="no memory"))
    assert (tally.faults, tally.passed, tally.not_passed) == (1, 0, 0)
