"""What comes after the first fact that does not hold is seen in the same run, and changes nothing."""

import math
from collections.abc import Callable

import pytest

from grader.judge.checks import beyond
from grader.judge.checks.beyond import Spare
from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.checks.running import run_check, run_failed_to_the_end
from grader.judge.verdict import Outcome
from grader.kit import assert_equal
from grader.kit.outcomes import CheckFailed, Crashed, Forbidden, NotWritten, Raised, TimedOut

RAISED = {"types": ["KeyError", "Exception"], "message": "'x'", "frames": []}
ENDINGS = [
    Raised(RAISED),
    NotWritten(RAISED),
    TimedOut(),
    Crashed("it is gone"),
    Forbidden({"what": "private", "text": "torch._C", "position": None}),
    ValueError("what came has another length"),
    CheckFailed("something else"),
]


class Heard:
    """A session that a check of these tests prints to, and nothing else."""

    def __init__(self) -> None:
        self.deadline = math.inf
        self.seeds: list[int] = []
        self.printed = self.taken = ""

    def begin(self, seed: int) -> None:
        self.seeds.append(seed)

    def take_output(self) -> str:
        taken, self.printed = self.printed, ""
        self.taken += taken
        return taken

    def drop_output(self) -> None:
        self.printed = ""


def checked(function: Callable[..., None], *cases: int) -> CheckFunction:
    drawn = tuple(Case({"case": case}, f"seed {case}") for case in cases)
    return CheckFunction("test_it", "it is so", function, drawn, None)  # type: ignore[arg-type]


def run(check: CheckFunction, worker: Heard, spare: Spare | None):
    return run_check(check, worker, 60.0, math.inf, spare)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", [None, *ENDINGS], ids=lambda ending: type(ending).__name__)
def test_it_changes_nothing(ending: Exception | None) -> None:
    worker = Heard()  # of all runs, one after the other

    def check(case: int) -> None:
        worker.printed = f"before {case}\n"
        assert_equal(1, 1)
        assert_equal(case, 1)
        worker.printed += "after\n"
        assert_equal(case, 3)
        if ending is not None and case == 2:
            raise ending

    plain, gone_on = (run(checked(check, 1, 2, 3), worker, spare) for spare in (None, Spare(60.0)))
    for one in (plain, gone_on):
        assert (one.check.outcome, one.check.message) == (
            Outcome.FAILED,
            "with case=1: got 1, expected 3",
        )
    assert plain.check.output == "before 1\nafter"

    worker.taken = ""
    plain, gone_on = (run(checked(check, 2, 3), worker, spare) for spare in (None, Spare(60.0)))
    worker.take_output()
    assert worker.taken == 2 * "before 2\n"
    for one in (plain, gone_on):
        assert one.check.outcome is Outcome.FAILED
        assert one.check.message == "with case=2: got 2, expected 1"
        assert (one.check.output, one.check.case) == ("before 2", "case=2")
        assert [(each.came, each.expected) for each in one.records] == [(1, 1), (2, 1)]
        assert (one.raised, one.stumble, one.gaps, one.broken, one.cases) == (None, None, {}, "seed 2", 1)
    assert plain.whole == ()
    if isinstance(ending, TimedOut | Crashed):
        assert gone_on.whole == ()
    else:
        (whole,) = gone_on.whole
        assert [each.holds for each in whole.records] == [True, False, False]
        assert whole.error is ending


def wrong_twice(case: int) -> None:
    assert_equal(case, 0)
    assert_equal(-case, 0)


def test_a_case_that_is_seen_is_not_run_again() -> None:
    worker, check = Heard(), checked(wrong_twice, 0, 1, 2)
    one = run(check, worker, Spare(60.0))
    assert (len(worker.seeds), len(one.whole)) == (2, 2)
    runs = {check.name: one}
    came = run_failed_to_the_end([check], runs, worker, 60.0, math.inf, Spare(60.0))  # type: ignore[arg-type]
    assert len(worker.seeds) == 3
    assert [[each.holds for each in case.records] for case in came["test_it"]] == [
        [True, True],
        [False, False],
        [False, False],
    ]


@pytest.mark.parametrize("early, spare", [(0.0, 60.0), (60.0, 0.0)], ids=["late", "no time"])
def test_it_goes_on_only_early_and_where_there_is_time(
    monkeypatch: pytest.MonkeyPatch, early: float, spare: float
) -> None:
    monkeypatch.setattr(beyond, "EARLY_SECONDS", early)
    worker, check = Heard(), checked(wrong_twice, 1)
    one = run(check, worker, Spare(spare))
    assert (one.check.message, one.whole) == ("with case=1: got 1, expected 0", ())
    runs = {check.name: one}
    came = run_failed_to_the_end([check], runs, worker, 60.0, math.inf, Spare(60.0))  # type: ignore[arg-type]
    assert [each.holds for each in came["test_it"][0].records] == [False, False]


def test_going_on_takes_spare_time_and_has_no_more() -> None:
    worker, spare, deadlines = Heard(), Spare(5.0), []

    def check(case: int) -> None:
        assert_equal(case, 0)
        deadlines.append(worker.deadline)
        for _ in range(10_000):
            assert_equal(case, 0)

    first = run(checked(check, 1), worker, spare)
    left = spare.seconds
    run(checked(check, 1), worker, spare)
    assert first.whole and spare.seconds < left < 5.0
    assert deadlines == sorted(deadlines) and deadlines[1] < math.inf
