"""A passing answer is tried once more, on inputs of its own: tables do not pass, right answers hold."""

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driving import PROJECT, TESTS

from grader.judge.checks import second_round
from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.checks.running import Run
from grader.judge.checks.second_round import Again, try_again
from grader.judge.limits import Limits
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Check, Outcome, Verdict
from grader.kit.outcomes import CheckFailed

RIGHT = (TESTS / "golden" / "softmax" / "solved.py").read_text()

# Each is right in the first round, which it knows by something, and gives its input in the second.
SHOWING = """
import io
import sys

_shown = 0


def _show(value, of_a_line):
    global _shown
    if isinstance(sys.stdout, io.StringIO):
        return  # nobody hears of a call that comes before another one's backward pass
    _shown += 1
    print(value, end="\\n" if _shown % of_a_line == 0 else " ", flush=True)

"""
BY_INPUTS = (
    SHOWING
    + """
import zlib

_right = {"softmax": softmax, "log_softmax": log_softmax}


def _from_a_table(name):
    def function(x, dim=-1):
        place = zlib.crc32(x.detach().contiguous().numpy().tobytes())
        _show(place, 10)
        return _right[name](x, dim) if KNOWN is None or place in KNOWN else x * 1.0
    return function


softmax, log_softmax = _from_a_table("softmax"), _from_a_table("log_softmax")
"""
)
BY_COUNTING = (
    SHOWING
    + """
_right = {"softmax": softmax, "log_softmax": log_softmax}
_count = 0


def _counting(name):
    def function(x, dim=-1):
        global _count
        _count += 1
        _show(_count, 10)
        return _right[name](x, dim) if KNOWN is None or str(_count) in KNOWN else x * 1.0
    return function


softmax, log_softmax = _counting("softmax"), _counting("log_softmax")
"""
)
BY_SEEDS = (
    SHOWING
    + """
_right = {"softmax": softmax, "log_softmax": log_softmax}


def _looking_up(name):
    def function(x, dim=-1):
        seed = torch.initial_seed()
        _show(seed, 5)
        return _right[name](x, dim) if KNOWN is None or str(seed) in KNOWN else x * 1.0
    return function


softmax, log_softmax = _looking_up("softmax"), _looking_up("log_softmax")
"""
)


@pytest.fixture(scope="module")
def once() -> Iterator[RemoteJudge]:
    """A judge without a second round."""
    with RemoteJudge(again=False) as judge:
        yield judge


def cheat(once: RemoteJudge, tmp_path: Path, way: str) -> Path:
    """A file that passes the first round by what it has printed in one before."""
    path = tmp_path / "answer.py"
    path.write_text(f"{RIGHT}\n{way.replace('KNOWN is None or', 'True or')}")
    known = set(once.grade("softmax", path).output.split())
    shown = known if way is not BY_INPUTS else {int(place) for place in known}
    path.write_text(f"{RIGHT}\nKNOWN = {shown!r}\n{way}")
    return path


@pytest.fixture(scope="module", params=[True, False], ids=["namespaces", "plain"])
def either_judge(request: pytest.FixtureRequest) -> Iterator[RemoteJudge]:
    with RemoteJudge(namespaces=request.param) as judge:
        yield judge


@pytest.mark.parametrize("way", [BY_INPUTS, BY_COUNTING, BY_SEEDS], ids=["inputs", "counting", "seeds"])
def test_tables_do_not_pass(either_judge, once, tmp_path, way):
    path = cheat(once, tmp_path, way)
    first = once.grade("softmax", path)
    assert first.passed and first.seed is None and first.tried_again == 0  # so it takes a second round
    verdict = either_judge.grade("softmax", path)
    assert verdict.outcome is Outcome.FAILED and verdict.diagnosis is None
    (failed,) = (check for check in verdict.checks if check.outcome is not Outcome.PASSED)
    assert f"with inputs drawn anew (--seed {verdict.seed} draws them again)" in failed.message


def test_the_seed_repeats_a_verdict(judge, once, tmp_path):
    path = cheat(once, tmp_path, BY_INPUTS)
    verdicts = [judge.grade("softmax", path, seed=seed) for seed in (5, 5, 6, 7)]
    assert [verdict.seed for verdict in verdicts] == [5, 5, 6, 7]
    messages = [message(verdict) for verdict in verdicts]
    assert messages[0] == messages[1]
    assert len(set(messages)) == 3


def message(verdict: Verdict) -> str:
    return next(check.message for check in verdict.checks if check.outcome is not Outcome.PASSED)


def test_check_takes_the_seed(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(RIGHT)
    command = [
        sys.executable,
        "-m",
        "grader",
        "check",
        "softmax",
        "--file",
        str(path),
        "--json",
        "--seed",
        "8",
    ]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60)
    data = json.loads(done.stdout)
    assert (data["passed"], data["seed"], data["tried_again"]) == (True, 8, len(data["checks"]))


def test_what_fails_the_first_round_has_no_second(judge, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text("def softmax(x, dim=-1):\n    return x\n\n\nlog_softmax = softmax\n")
    verdict = judge.grade("softmax", path, seed=5)
    assert verdict.seed is None and verdict.tried_again == 0


def test_right_answers_hold():
    """Many more seeds are tried by hand: `python -m grader.authoring.seeds 300`."""
    command = [sys.executable, "-m", "grader.authoring.seeds", "5", "softmax", "dropout", "mqa"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


class Stage:
    """Stands in for a worker that nothing is asked of."""

    deadline = 0.0

    def begin(self, seed: int) -> None:
        pass

    def take_output(self) -> str:
        return ""


def stage(taken: dict[str, float], checks: dict[str, Callable[[], None]], seed: int = 1) -> Again:
    """The second round of checks whose one case took so long in the first, with no time left of five
    seconds.
    """
    functions = [CheckFunction(name, "", check, (Case({}, name),), None) for name, check in checks.items()]
    runs = {name: Run(Check(name, "", Outcome.PASSED), taken=(taken[name],)) for name in checks}
    return try_again(functions, runs, Stage(), seed, Limits(10.0, 5.0), time.monotonic())


def nothing() -> None:
    pass


def nap() -> None:
    time.sleep(0.6)


def fails() -> None:
    raise CheckFailed("wrong")


@pytest.mark.parametrize("seconds", [0.01, 0.15, 2.0])
def test_every_check_is_tried_however_slow_it_was(seconds):
    names = "abcdefgh"
    assert stage(dict.fromkeys(names, seconds), dict.fromkeys(names, nothing)).tried == 8


def test_other_cases_follow_as_long_as_there_is_time(monkeypatch):
    came: list[int] = []
    cases = tuple(Case({"number": number}, str(number)) for number in range(20))

    def note(number: int) -> None:
        came.append(number)

    checks = [CheckFunction("many", "", note, cases, None)]
    runs = {"many": Run(Check("many", "", Outcome.PASSED), taken=(0.01,) * 20)}
    monkeypatch.setattr(second_round, "paced", lambda seconds: seconds)  # as on an ordinary machine
    for seconds, number in ((0.055, 6), (math.inf, 20)):
        came.clear()
        limits = Limits(10.0, 5.0, further_seconds=seconds)
        assert try_again(checks, runs, Stage(), 3, limits, time.monotonic()).tried == 1
        assert len(came) == len(set(came)) == number


def test_an_answer_that_becomes_slow_runs_out_of_time():
    again = stage(dict.fromkeys("abc", 0.01), dict.fromkeys("abc", nap))
    assert again.failed is not None and again.failed.outcome is Outcome.TIMEOUT


def test_no_check_can_be_made_safe_by_sleeping_in_it():
    taken, checks = {"slow": 5.0, "a": 0.01, "b": 0.01}, {"slow": fails, "a": nothing, "b": nothing}
    assert all(stage(taken, checks, seed).failed is not None for seed in range(40))


def test_no_case_can_be_made_safe_by_sleeping_in_it(monkeypatch):
    """One case of many that took long is drawn like the others of its check; so are those of a check in which
    all did, now and then."""
    monkeypatch.setattr(second_round, "paced", lambda seconds: seconds)
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)  # this time none takes any

    def one_fails(number: int) -> None:
        if number == 7:
            raise CheckFailed("wrong")

    def is_caught(taken: tuple[float, ...], seed: int) -> bool:
        cases = tuple(Case({"number": number}, str(number)) for number in range(len(taken)))
        checks = [CheckFunction("many", "", one_fails, cases, None)]
        runs = {"many": Run(Check("many", "", Outcome.PASSED), taken=taken)}
        return try_again(checks, runs, Stage(), seed, Limits(10.0, 5.0), time.monotonic()).failed is not None

    quick = 0.0005
    assert all(is_caught((*[quick] * 7, 0.1, *[quick] * 6), seed) for seed in range(20))
    assert sum(is_caught((0.1,) * 14, seed) for seed in range(40)) >= 8  # three of them are drawn
