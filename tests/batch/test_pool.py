"""Judges side by side: those that die, hang or are ended, and what of it becomes a row."""

import threading
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
from batch.rows import verdict
from driving import has_ended

from grader.batch.finding.submission import Submission
from grader.batch.results.log import ResultsLog
from grader.batch.results.row import Row
from grader.batch.running.batch import Tally, grade_all
from grader.batch.running.pool import Pool
from grader.batch.running.source_judge import SourceJudge
from grader.batch.running.work import Work, content_of, plan
from grader.judge.service.remote import JudgeFault, RemoteJudge
from grader.judge.verdict import Verdict

ANSWERS = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    text = open(request["file"]).read()
    if "die" in text:
        os._exit(7)
    while "hang" in text:
        time.sleep(60)
    made = VERDICT | {"message": text, "file": request["file"]}
    print(json.dumps(made), flush=True)
"""
"""A server that takes a content for the message of its verdict, or dies of it, or hangs."""


class Stub(RemoteJudge):
    SERVER = ("-c", ANSWERS.replace("VERDICT", repr(__import__("json").loads(verdict().to_json()))))


class Fake:
    """A judge without a process."""

    def __init__(self, grade: Callable[[str, bytes], Verdict]) -> None:
        self.grade = grade
        self.ended = threading.Event()

    def kill(self) -> None:
        self.ended.set()

    def close(self) -> None:
        self.ended.set()


def works(tmp_path: Path, **contents: str) -> list[Work]:
    made = []
    for name, text in contents.items():
        student, _, topic = name.partition("_")
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        made.append(
            Work(
                topic or "softmax",
                "0+a",
                content_of(path)[1],
                [Submission(student, topic or "softmax", path)],
            )
        )
    return made


def messages(pool: Pool, todo: list[Work]) -> dict[str, str | None]:
    return {
        each.work.submissions[0].student: each.verdict.message if each.verdict else each.fault
        for each in pool.graded(todo)
    }


def test_all_are_graded_by_judges_that_stay(tmp_path: Path) -> None:
    todo = works(tmp_path, **{f"s{number}": f"text {number}" for number in range(20)})
    made = []

    def make() -> SourceJudge:
        made.append(1)
        return SourceJudge(lambda folder: Stub())

    with Pool(make, 3) as pool:
        assert messages(pool, todo) == {f"s{number}": f"text {number}" for number in range(20)}
    assert len(made) <= 3


def test_a_judge_that_dies_is_replaced_and_its_work_tried_once_more_alone(tmp_path: Path) -> None:
    todo = works(tmp_path, a="one", b="die", c="two", d="three")
    with Pool(lambda: SourceJudge(lambda folder: Stub()), 2) as pool:
        found = messages(pool, todo)
    assert list(found)[-1] == "b"
    assert found == {
        **{"a": "one", "c": "two", "d": "three"},
        "b": "The judge failed twice: the judge ended with status 7",
    }


def test_what_fails_once_is_graded_in_the_end(tmp_path: Path) -> None:
    under_way, most, failures = [], [], Counter[bytes]()

    def grade(topic: str, data: bytes) -> Verdict:
        under_way.append(data)
        most.append((data, len(under_way)))
        failures[data] += 1
        under_way.remove(data)
        if data == b"shy" and failures[data] == 1:
            raise JudgeFault("Traceback\n  …\nMemoryError")
        return verdict(message=data.decode())

    todo = works(tmp_path, a="one", b="shy", c="two")
    with Pool(lambda: Fake(grade), 2) as pool:  # type: ignore[arg-type, return-value]
        assert messages(pool, todo)["b"] == "shy"
    assert most[-1] == (b"shy", 1)


def test_a_judge_that_takes_forever_is_ended(tmp_path: Path) -> None:
    todo = works(tmp_path, a="hang", b="two")
    with Pool(lambda: SourceJudge(lambda folder: Stub(), patience=0.3), 1) as pool:
        found = messages(pool, todo)
    assert found["b"] == "two"
    assert str(found["a"]).startswith("The judge failed twice: the judge ended with status -9")


def test_leaving_ends_judges_whatever_they_do(tmp_path: Path) -> None:
    judges: list[Stub] = []

    def make() -> SourceJudge:
        def begun(folder: Path) -> Stub:
            judges.append(Stub())
            return judges[-1]

        return SourceJudge(begun)

    todo = works(tmp_path, a="one", b_gqa="hang")
    with pytest.raises(KeyboardInterrupt), Pool(make, 2) as pool:
        for graded in pool.graded(todo):
            assert graded.verdict is not None
            raise KeyboardInterrupt
    assert len(judges) == 2
    assert all(not psutil.pid_exists(judge.pid) or has_ended(psutil.Process(judge.pid)) for judge in judges)


def test_a_judge_stays_with_its_topic(tmp_path: Path) -> None:
    todo = works(tmp_path, **{f"s{n}_{topic}": f"{n}" for n in range(5) for topic in ("gqa", "rope", "mla")})
    seen: list[str] = []

    def grade(topic: str, data: bytes) -> Verdict:
        seen.append(topic)
        return verdict(topic)

    with Pool(lambda: Fake(grade), 1) as pool:  # type: ignore[arg-type, return-value]
        assert len(list(pool.graded(todo))) == 15
    assert sum(before != after for before, after in pairwise(seen)) == 2


def test_a_fault_of_ours_is_raised_not_lost(tmp_path: Path) -> None:
    def grade(topic: str, data: bytes) -> Verdict:
        raise KeyError(topic)

    with pytest.raises(KeyError), Pool(lambda: Fake(grade), 1) as pool:  # type: ignore[arg-type, return-value]
        list(pool.graded(works(tmp_path, a="one")))


def test_the_file_a_judge_reads_is_alone_and_gone_afterwards(tmp_path: Path) -> None:
    seen: list[list[str]] = []
    folders: list[Path] = []

    class Watching:
        def __init__(self, folder: Path) -> None:
            folders.append(folder)

        def grade(self, topic: str, path: Path) -> Verdict:
            seen.append([each.name for each in path.parent.iterdir()])
            return verdict(topic)

        def kill(self) -> None: ...

        def close(self) -> None: ...

    judge = SourceJudge(Watching)  # type: ignore[arg-type]
    judge.grade("gqa", b"one")
    judge.grade("rope", b"two")
    assert seen == [["gqa.py"], ["rope.py"]]
    assert list(folders[0].iterdir()) == []
    judge.close()
    assert not folders[0].exists()


# The plan


CURRICULA = {"softmax": "0+a", "gqa": "0+a"}


def handed(
    root: Path, student: str, text: str, topic: str = "softmax", problem: str | None = None
) -> Submission:
    path = root / student / f"{topic}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return Submission(student, topic, path, problem)


def run(
    found: list[Submission], log: ResultsLog, grade: Callable[[str, bytes], Verdict], shard=(1, 1)
) -> Tally:
    todo = list(plan(found, CURRICULA, log, shard))
    return grade_all(todo, log, lambda jobs: Pool(lambda: Fake(grade), 1), lambda tally: None)  # type: ignore


def test_only_what_is_new_or_changed_is_graded(tmp_path: Path) -> None:
    graded: list[bytes] = []

    def grade(topic: str, data: bytes) -> Verdict:
        graded.append(data)
        return verdict(message=data.decode())

    found = [handed(tmp_path, "a", "one"), handed(tmp_path, "b", "two"), handed(tmp_path, "c", "one")]
    found.append(handed(tmp_path, "d", "x", problem="It leads out."))
    found.append(handed(tmp_path, "e", "x" * 2**20 + "x"))
    with ResultsLog(tmp_path / "results.jsonl") as log:
        tally = run(found, log, grade)
        assert (tally.total, tally.done, tally.passed, tally.not_passed) == (5, 5, 3, 2)
        assert sorted(graded) == [b"one", b"two"]  # the same content is graded once
        rows = {each.student: each for each in log.rows()}
        assert rows["c"].verdict is not None and rows["c"].verdict.file == str(tmp_path / "c" / "softmax.py")
        assert rows["d"].verdict is not None and rows["d"].verdict.message == "It leads out."
        assert rows["e"].verdict is not None and rows["e"].verdict.outcome == "unreadable"
        assert run(found, log, grade).total == 0
        found[1] = handed(tmp_path, "b", "three")
        found.append(handed(tmp_path, "f", "two"))
        assert run(found, log, grade).total == 2
        assert sorted(graded) == [b"one", b"three", b"two"]  # f's was graded as b's


def test_parts_together_are_all_and_no_file_is_in_two(tmp_path: Path) -> None:
    found = [handed(tmp_path, f"s{number}", f"{number % 20}") for number in range(40)]
    parts: list[set[str]] = []
    for number in (1, 2, 3):
        with ResultsLog(tmp_path / f"{number}.jsonl") as log:
            run(found, log, lambda topic, data: verdict(message=data.decode()), (number, 3))
            parts.append({each.student for each in log.rows()})
    assert sum(map(len, parts)) == 40 and len(set().union(*parts)) == 40
    assert min(map(len, parts)) > 0


def test_a_fault_is_a_row_and_is_tried_again(tmp_path: Path) -> None:
    def dies(topic: str, data: bytes) -> Verdict:
        raise JudgeFault("no memory")

    found = [handed(tmp_path, "a", "one")]
    with ResultsLog(tmp_path / "results.jsonl") as log:
        assert run(found, log, dies).faults == 1
        (row,) = log.rows()
        assert isinstance(row, Row) and row.fault == "The judge failed twice: no memory"
        assert run(found, log, lambda topic, data: verdict()).passed == 1
        (row,) = log.rows()
        assert row.fault is None
