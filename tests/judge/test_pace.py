"""A slow machine is given more seconds for what the judge finds out beyond the checks."""

from collections.abc import Iterator

import pytest

from grader.judge import pace
from grader.judge.checks.beyond import TO_THE_END_SECONDS, Spare
from grader.judge.limits import Limits
from grader.judge.repair import repair


@pytest.fixture(autouse=True)
def nothing_is_measured_yet() -> Iterator[None]:
    pace._measured.cache_clear()
    yield
    pace._measured.cache_clear()


def measuring(monkeypatch: pytest.MonkeyPatch, *times: float) -> None:
    """Work takes so many times as long as on an ordinary machine, one measurement after the other."""
    seconds = iter([each * pace.ORDINARY for each in times])
    monkeypatch.setattr(pace, "_seconds_of_work", lambda: next(seconds))
    monkeypatch.setattr(pace.time, "monotonic", lambda: 5.0)


@pytest.mark.parametrize("times, expected", [(0.4, 1.0), (1.0, 1.0), (2.5, 2.5), (40.0, 4.0)])
def test_pace_of_a_machine(times: float, expected: float) -> None:
    assert pace.pace(times * pace.ORDINARY) == pytest.approx(expected)


def test_what_interrupts_is_not_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring(monkeypatch, 9.0, 2.0, 3.0)
    assert pace.paced(3.0) == pytest.approx(6.0)


def test_it_is_measured_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring(monkeypatch, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0)
    assert pace.paced(1.0) == pace.paced(1.0) == pytest.approx(2.0)
    monkeypatch.setattr(pace.time, "monotonic", lambda: 1000.0)
    assert pace.paced(1.0) == pytest.approx(3.0)


def test_work_is_work() -> None:
    assert pace._seconds_of_work() > 0


def test_a_slow_machine_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring(monkeypatch, 3.0, 3.0, 3.0)
    assert Spare().seconds == pytest.approx(3 * TO_THE_END_SECONDS)
    assert repair.latest_end(2.0, None, Limits(repair_seconds=6.0, patience=10.0)) == pytest.approx(
        5.0 + 18.0
    )
    assert repair.latest_end(2.0, None, Limits(repair_seconds=60.0, patience=10.0)) == pytest.approx(32.0)


def test_a_slow_answer_may_take_longer_but_not_one_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    measuring(monkeypatch, 3.0, 3.0, 3.0)
    limits = Limits(file_seconds=25.0)
    assert limits.latest(100.0, has_hung=False) == pytest.approx(175.0)
    assert limits.latest(100.0, has_hung=True) == pytest.approx(125.0)


@pytest.mark.parametrize("load, expected", [(0.5, 1.0), (8.0, 1.0), (12.0, 2.0), (90.0, 4.0)])
def test_a_check_may_take_longer_among_others(
    monkeypatch: pytest.MonkeyPatch, load: float, expected: float
) -> None:
    monkeypatch.setattr(pace.os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(pace.os, "cpu_count", lambda: 4)
    limits = Limits(check_seconds=10.0, file_seconds=25.0).among_others(pace.crowding())
    assert (limits.check_seconds, limits.file_seconds) == (10.0 * expected, 25.0 * expected)
