"""Mistaken versions of a solution: what is asked when there is no time left, or nobody waits any more."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.judge.diagnosis import versions as module
from grader.judge.diagnosis.evidence import CaseEvidence, Evidence, EvidenceToTheEnd
from grader.judge.diagnosis.memory import Memory
from grader.judge.diagnosis.versions import NoTime, Versions
from grader.judge.listener import Listener
from grader.judge.verdict import Outcome
from grader.kit.mistakes import Mistake

KNOWN, OTHER = (Mistake(name, find="a", replace="b", says="c") for name in ("known", "other"))
CHECK = SimpleNamespace(name="test_x")
EVIDENCE = Evidence(Outcome.FAILED, 1)
TO_THE_END = EvidenceToTheEnd((CaseEvidence((None,)),))


class Hurried(Listener):
    def is_in_a_hurry(self) -> bool:
        return True


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory(tmp_path / "topic.evidence")
    memory.put(["known"], "test_x", EVIDENCE)
    memory.put(["known"], "test_x", TO_THE_END)
    return memory


def versions(
    memory: Memory, work: float, listener: Listener | None = None, seconds: float = 60.0
) -> Versions:
    return Versions((), SimpleNamespace(text=""), None, memory, work, seconds, listener or Listener())


def test_there_is_time(memory: Memory) -> None:
    some = versions(memory, 60.0)
    some.keep_to_the_time()
    assert not some.is_late() and some.may_tell([KNOWN]) and some.may_tell([OTHER])


@pytest.mark.parametrize("seconds, listener", [(0.0, Listener()), (60.0, Hurried())])
def test_only_what_is_remembered_is_told(memory: Memory, seconds: float, listener: Listener) -> None:
    some = versions(memory, seconds, listener)
    some.keep_to_the_time()
    assert some.is_late() and some.may_tell([KNOWN]) and not some.may_tell([OTHER])
    assert some.evidence([KNOWN], CHECK) == EVIDENCE
    assert some.evidence_to_the_end([KNOWN], CHECK) == TO_THE_END
    with pytest.raises(NoTime):
        some.evidence([OTHER], CHECK)


def test_sets_of_what_is_remembered_end_as_well(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be so many of them that looking at all takes minutes. But who has run versions for all of the
    time has not looked at any set yet.
    """
    some = versions(memory, 60.0, seconds=0.0)
    some.keep_to_the_time()
    assert some.is_late() and some.evidence_to_the_end([KNOWN], CHECK) == TO_THE_END
    monkeypatch.setattr(module, "SETS_SECONDS", 0.0)
    assert some.evidence([KNOWN], CHECK) == EVIDENCE
    for asked in (some.keep_to_the_time, lambda: some.evidence_to_the_end([KNOWN], CHECK)):
        with pytest.raises(NoTime):
            asked()
