"""What the solution gives with notes is found out once, and a trail is the same however it is known."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import CATALOG

from grader.judge.checks.reading import CheckFile, read_checks
from grader.judge.checks.running import Run, run_check
from grader.judge.contract import required
from grader.judge.diagnosis.memory import Memory
from grader.judge.trail import remembered
from grader.judge.trail.remembered import recall, remember
from grader.judge.trail.rerun import Rerun, rerun
from grader.judge.trail.trail import Followed
from grader.judge.verdict import Trail
from grader.judge.workers.client import Program, load_request
from grader.judge.workers.inprocess import InProcess

WRONG = {
    "softmax": ("return exps / total", "return exps * total"),
    "sdpa": ("1 / math.sqrt(query.shape[-1])", "1.0"),
    "gqa": ("scores / math.sqrt(self.head_dim)", "scores"),
    "mlp_numpy": ("np.maximum(self._pre, 0)", "np.abs(self._pre)"),
}


class Inside(InProcess):
    """A worker in this process: it can be loaded again and ended, and told how often it was begun."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._program = program
        self.ended = 0

    def load(self) -> dict:
        return self.request(load_request(self._program))

    def end(self) -> None:
        self.ended += 1

    def __enter__(self) -> "Inside":
        return self

    def __exit__(self, *exception: object) -> None:
        self.end()


class Case:
    """A wrong answer to a topic, and how often the solution was begun beside it."""

    def __init__(self, topic: str) -> None:
        self.begun = 0
        solution = CATALOG[topic].solution.read_text(encoding="utf-8")
        old, new = WRONG[topic]
        assert old in solution
        wanted = required(solution)
        self.checks: CheckFile = read_checks(CATALOG[topic])
        self.solution = Program(solution, str(CATALOG[topic].solution), topic, wanted)
        self.answer = Program(solution.replace(old, new), f"/nowhere/{topic}.py", topic, wanted)
        worker = Inside(self.answer)
        self.runs: dict[str, Run] = {
            check.name: run_check(check, worker, 10.0, math.inf) for check in self.checks.checks
        }

    def trail(self, memory: Memory) -> tuple[Trail | None, int]:
        """What is found with that memory, and how often the answer's worker was ended for it."""
        answer = Inside(self.answer)
        programs = (self.answer, self.solution)
        followed = Followed(self.checks, self.runs, programs, answer, self._solution, memory)  # type: ignore[arg-type]
        found = followed.trail()
        return found, answer.ended

    def _solution(self) -> Inside:
        self.begun += 1
        return Inside(self.solution)


@pytest.fixture(autouse=True)
def nothing_lives(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def forget() -> None:
        monkeypatch.setattr(remembered, "_living", remembered._Living())

    forget()
    return forget


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {topic: Case(topic) for topic in WRONG}


@pytest.mark.parametrize("topic", WRONG)
def test_the_solution_is_run_once(cases, tmp_path: Path, topic: str, nothing_lives) -> None:
    case, file = cases[topic], tmp_path / "x.evidence"
    memory = Memory(file)
    found, ended = case.trail(memory)
    begun = case.begun
    assert found is not None and begun > 0 and ended == begun  # one worker at a time
    assert case.trail(memory) == (found, 0)
    memory.save()
    nothing_lives()
    assert case.trail(Memory(file)) == (found, 0)
    assert case.begun == begun


def first(case: Case) -> tuple:
    check = next(check for check in case.checks.checks if case.runs[check.name].check.outcome == "failed")
    return check, check.cases[case.runs[check.name].cases - 1]


def of_solution(case: Case) -> Rerun:
    return rerun(*first(case), Inside(case.solution))  # type: ignore[arg-type]


def test_what_is_large_lives_but_is_not_written(cases, tmp_path: Path, monkeypatch, nothing_lives) -> None:
    case, file = cases["gqa"], tmp_path / "x.evidence"
    monkeypatch.setattr(remembered, "MAX_KEPT_BYTES", 100)
    memory = Memory(file)
    remember(memory, *first(case), of_solution(case))
    assert recall(memory, *first(case)) is not None
    memory.save()
    nothing_lives()
    assert recall(memory, *first(case)) is None and not file.exists()


def test_what_lives_is_bounded(cases, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(remembered, "MAX_LIVING_BYTES", 1)
    memory = Memory(tmp_path / "x.evidence")
    for topic in WRONG:
        remember(memory, *first(cases[topic]), of_solution(cases[topic]))
    assert len(remembered._living) == 1


def test_another_version_of_the_topic_is_another_case(cases, tmp_path: Path) -> None:
    case = cases["softmax"]
    remember(Memory(tmp_path / "one.evidence"), *first(case), of_solution(case))
    assert recall(Memory(tmp_path / "other.evidence"), *first(case)) is None


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x92\x90\xc0", b"\x92\x91\x01\x80"])
def test_bytes_of_another_making_are_none(cases, tmp_path: Path, data: bytes) -> None:
    check, place = first(cases["softmax"])
    memory = Memory(tmp_path / "x.evidence")
    memory.put_note(f"{check.name} {place.seed}", data)
    assert recall(memory, check, place) is None


def test_a_case_that_the_solution_does_not_come_through_is_not_remembered(cases, tmp_path: Path) -> None:
    case, memory = cases["softmax"], Memory(tmp_path / "x.evidence")
    remember(memory, *first(case), rerun(*first(case), Inside(case.answer)))  # type: ignore[arg-type]
    assert recall(memory, *first(case)) is None
