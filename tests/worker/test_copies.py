"""What only Python has of forbidden built-ins: copies for other kinds of tensors, and of another Python."""

import heapq
from pathlib import Path

import pytest
from driving import TESTS

from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Verdict

COPIES = {"jagged": "layer_norm", "by_sample": "conv2d", "sharded": "gradient_clipping"}
ANOTHER_HEAPQ = next(
    (path for path in Path("/usr/lib").glob("python3*/heapq.py") if not path.samefile(heapq.__file__)), None
)


def said(verdict: Verdict) -> str:
    return "\n".join([verdict.message or "", *(check.message for check in verdict.checks)])


@pytest.mark.parametrize("name, answers", COPIES.items())
def test_copies_in_python_are_out_of_reach(judge: RemoteJudge, name: str, answers: str) -> None:
    verdict = judge.grade(answers, TESTS / "hostile" / "copies" / f"{name}.py")
    assert verdict.outcome is Outcome.FORBIDDEN, said(verdict)


@pytest.mark.skipif(not ANOTHER_HEAPQ, reason="there is no other Python on this machine")
def test_the_standard_library_of_another_python_has_no_copies(judge: RemoteJudge, tmp_path: Path) -> None:
    path = tmp_path / "answer.py"
    path.write_text(f"exec(open({str(ANOTHER_HEAPQ)!r}).read())")
    assert "may not read the sources of heapq" in said(judge.grade("heap_top_k", path))
