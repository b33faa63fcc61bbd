"""Evidence that is kept: what goes in comes out, and whatever happens to the file costs time alone."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from grader.curriculum.catalog import load_catalog
from grader.judge.diagnosis import fingerprint as fingerprints
from grader.judge.diagnosis import memory as memories
from grader.judge.diagnosis.evidence import CaseEvidence, Evidence, EvidenceToTheEnd
from grader.judge.diagnosis.fingerprint import fingerprint
from grader.judge.diagnosis.memory import Memory
from grader.judge.verdict import Outcome
from grader.kit.counts import Counts
from grader.kit.handles import Instance
from grader.worker import wire

PASSED = Evidence(Outcome.PASSED)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "evidence" / "topic-version.evidence"


def test_what_goes_in_comes_out(file: Path) -> None:
    leaves = [1, "two", 3.0, None, True, torch.ones(2, 3, dtype=torch.float64), np.float32(4).item()]
    evidence = Evidence(Outcome.FAILED, 2, (leaves, []), (["ValueError", "Exception"], ["a", "word"]))
    to_the_end = EvidenceToTheEnd((CaseEvidence((None, ["list", 5])), CaseEvidence((), (["E"], []))))
    memory = Memory(file)
    memory.put(["a", "b"], "test_x", evidence)
    memory.put(["a", "b"], "test_x", to_the_end)
    memory.save()
    again = Memory(file)
    found = again.get(["b", "a"], "test_x", Evidence)
    assert found is not None and (found.outcome, found.cases) == (Outcome.FAILED, 2)
    assert found.exception == (["ValueError", "Exception"], ["a", "word"])
    assert torch.equal(found.came[0].pop(5), leaves.pop(5)) and found.came == (leaves, [])
    assert again.get(["a", "b"], "test_x", EvidenceToTheEnd) == to_the_end
    assert again.get(["a"], "test_x", Evidence) is None
    assert again.get(["a", "b"], "test_y", Evidence) is None
    assert again.has_any(["b", "a"]) and not again.has_any(["a"])
    again.put(["a"], "test_y", PASSED)
    assert again.has_any(["a"])


def test_counts_and_objects_come_out_as_what_they_are_compared_by(file: Path) -> None:
    instance = Instance(SimpleNamespace(), wire.Ref(3, "MLP"))
    memory = Memory(file)
    memory.put(["a"], "test_x", Evidence(Outcome.FAILED, 1, ([Counts(torch.ones(3)), instance],)))
    memory.save()
    found = Memory(file).get(["a"], "test_x", Evidence)
    assert found is not None
    counts, kept = found.came[0]
    assert counts == Counts(torch.ones(3)) and kept.type_name == "MLP"


def test_notes_of_others_stand_beside_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "MAX_FILE_BYTES", 400)
    memory = Memory(file)
    memory.put(["a"], "test_x", PASSED)
    memory.put_note("test_x", b"1" * 100)
    memory.put_note("test_y", b"2" * 101)  # more than half of it all
    memory.save()
    again = Memory(file)
    assert again.note("test_x") == b"1" * 100
    assert again.note("test_y") is None
    assert again.get(["a"], "test_x", Evidence) == PASSED


@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.CRASHED, Outcome.NOT_RUN])
def test_what_may_differ_tomorrow_is_not_written(file: Path, outcome: Outcome) -> None:
    memory = Memory(file)
    memory.put(["a"], "test_x", Evidence(outcome))
    memory.save()
    assert memory.get(["a"], "test_x", Evidence) == Evidence(outcome)
    assert not file.exists()


def spoilt(data: bytes) -> list[bytes]:
    return [b"", data[:10], data[:-1], b"\0" * len(data), data[:40] + b"?" + data[41:], b"\xff" * len(data)]


@pytest.mark.parametrize("number", range(6))
def test_a_damaged_file_is_as_good_as_none(file: Path, number: int) -> None:
    memory = Memory(file)
    memory.put(["a"], "test_x", PASSED)
    memory.save()
    file.write_bytes(spoilt(file.read_bytes())[number])
    again = Memory(file)
    assert again.get(["a"], "test_x", Evidence) is None
    again.put(["b"], "test_x", PASSED)
    again.save()
    assert Memory(file).get(["b"], "test_x", Evidence) == PASSED


@pytest.mark.parametrize("number", range(6))
def test_what_stands_before_the_damage_is_kept(file: Path, number: int) -> None:
    memory = Memory(file)
    memory.put(["a"], "test_x", PASSED)
    memory.save()
    whole = file.read_bytes()
    file.write_bytes(whole + spoilt(whole)[number])
    again = Memory(file)
    assert again.get(["a"], "test_x", Evidence) == PASSED
    again.put(["b"], "test_x", PASSED)
    again.save()
    both = Memory(file)
    assert both.get(["a"], "test_x", Evidence) == both.get(["b"], "test_x", Evidence) == PASSED


def test_what_is_known_is_not_written_again(file: Path) -> None:
    memory = Memory(file)
    memory.put(["a"], "test_x", PASSED)
    memory.save()
    whole = file.read_bytes()
    memory.put(["b"], "test_x", PASSED)
    memory.save()
    memory.save()
    assert file.read_bytes().startswith(whole) and len(file.read_bytes()) == 2 * len(whole)


def test_two_writers_keep_what_both_found(file: Path) -> None:
    one, other = Memory(file), Memory(file)
    one.put(["a"], "test_x", PASSED)
    other.put(["b"], "test_x", PASSED)
    one.save()
    other.save()
    both = Memory(file)
    assert both.get(["a"], "test_x", Evidence) == both.get(["b"], "test_x", Evidence) == PASSED


def test_nothing_is_raised_where_nothing_can_be_written(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "evidence").write_text("a file where the folder should be")
    memory = Memory(tmp_path / "evidence" / "x.evidence")
    memory.put(["a"], "test_x", PASSED)
    memory.save()
    assert memory.get(["a"], "test_x", Evidence) == PASSED

    def no_space(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(memories, "_append", no_space)
    memory.put(["b"], "test_x", PASSED)
    memory.save()


def test_the_folder_is_bounded(file: Path, monkeypatch) -> None:
    monkeypatch.setattr(memories, "MAX_FOLDER_BYTES", 1000)
    file.parent.mkdir()
    for age in (3, 2, 1):
        old = file.with_name(f"old{age}.evidence")
        old.write_bytes(b"x" * 400)
        os.utime(old, (time.time() - age * 1000,) * 2)
    memory = Memory(file)
    memory.put(["a"], "test_x", PASSED)
    memory.save()
    assert sorted(path.name for path in file.parent.iterdir()) == [
        "old1.evidence",
        "old2.evidence",
        "topic-version.evidence",
    ]


def test_a_file_is_bounded(file: Path, monkeypatch) -> None:
    monkeypatch.setattr(memories, "MAX_FILE_BYTES", 10)
    memory = Memory(file)
    memory.put(["a"], "test_x", PASSED)
    memory.save()
    assert not file.exists() or not file.read_bytes()


def test_another_version_has_another_fingerprint(tmp_path: Path, monkeypatch) -> None:
    topic = load_catalog()["softmax"]
    before = fingerprint(topic)
    assert fingerprint(topic) == before != fingerprint(load_catalog()["gqa"])
    room = tmp_path / "softmax"
    room.mkdir()
    for path in (topic.solution, topic.checks, *topic.mistakes):
        (room / path.name).write_bytes(path.read_bytes())
    files = {"solution": room / topic.solution.name, "checks": room / topic.checks.name}
    copied = SimpleNamespace(**files, mistakes=[room / path.name for path in topic.mistakes])
    assert fingerprint(copied) == before
    for path in (copied.solution, copied.checks, *copied.mistakes):
        text = path.read_text()
        path.write_text(f"{text}\n# changed\n")
        assert fingerprint(copied) != before
        path.write_text(text)
    fingerprints._of_the_program.cache_clear()
    fingerprints._of.cache_clear()
    monkeypatch.setattr(torch, "__version__", "0.0")
    assert fingerprint(topic) != before
    monkeypatch.undo()
    fingerprints._of_the_program.cache_clear()
    fingerprints._of.cache_clear()
