"""How far a batch is, in a pipe: a line now and then."""

import io

import pytest
from batch.rows import failed, row
from rich.console import Console
from rich.progress import Progress

from grader.batch.running import progress
from grader.batch.running.batch import Tally
from grader.batch.running.progress import columns, shown_progress


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


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_number_is_cut_where_there_is_little_room(width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width)
    about = "2 passed, 9 not, slowest 17.3 s (José García_12345 rms_norm)"
    progress = Progress(*columns(), console=console)
    progress.add_task("Grading", total=29, completed=17, about=about)
    console.print(progress.make_tasks_table(progress.tasks))
    (line,) = out.getvalue().splitlines()
    assert "Grading" in line and "17/29" in line and "-:--:--" in line and "2 pas" in line
    assert (about in line) == (width == 120)
