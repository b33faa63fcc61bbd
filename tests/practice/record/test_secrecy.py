"""What a mock interview keeps to itself."""

from grader.judge.verdict import Check, Cost, Diagnosis, Outcome, Trail, Verdict
from grader.practice.record.secrecy import silenced

TOLD = "what is wrong"


def test_nothing_of_a_wrong_answer_is_told() -> None:
    verdict = Verdict(
        "softmax",
        "softmax.py",
        Outcome.FAILED,
        (Check("a", "a title", Outcome.FAILED, TOLD), Check("b", "b title", Outcome.PASSED)),
        Diagnosis(TOLD, TOLD),
        cost=Cost(1, 2, 3, 4),
        output=TOLD,
        parts={"softmax": TOLD},
        trail=Trail((), TOLD, 7),
    )
    text = silenced(verdict).to_json()
    assert TOLD not in text and "a title" not in text
    assert "1 of 2 checks passed" in text


def test_a_right_answer_and_an_empty_one_are_told_as_they_are() -> None:
    for outcome in (Outcome.PASSED, Outcome.NOT_STARTED):
        verdict = Verdict("softmax", "softmax.py", outcome, message="a word")
        assert silenced(verdict) == verdict
