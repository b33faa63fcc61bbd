"""A verdict on 24 rows of 80 columns: what stands there, in which order, and what to do next."""

from dataclasses import replace

import pytest
from driving import CATALOG

from grader.curriculum.catalog import Topic
from grader.judge.checks.reading import read_checks
from grader.judge.verdict import Check, Diagnosis, Outcome, Trail, Verdict
from grader.show.verdicts.groups import line_of
from grader.show.verdicts.next_step import next_step, next_step_while_saving
from grader.show.verdicts.one_screen import ROWS
from grader.show.verdicts.verdict import verdict_text

SOFTMAX = CATALOG["softmax"]
NUMBERS = (
    "with shape=(2, 3): largest difference 2.44 at [1, 2]: yours 2.795, expected 0.3577; all 6 values differ"
)
LONG = "a title that says in as many words as there can be what is true of every right answer"


def check(number: int, outcome: Outcome = Outcome.FAILED, message: str = NUMBERS, title: str = LONG) -> Check:
    return Check(f"test_{number}", f"{number} {title}", outcome, message)


def failed(*checks: Check, **facts: object) -> Verdict:
    return replace(
        Verdict("softmax", "softmax.py", Outcome.FAILED, checks, seconds=1.2),
        **facts,  # type: ignore[arg-type]
    )


def shown(verdict: Verdict, width: int = 80, **options: bool) -> list[str]:
    return verdict_text(verdict, CATALOG, width, **options).plain.split("\n")


@pytest.mark.in_turn
@pytest.mark.parametrize("topic", CATALOG.topics, ids=lambda topic: topic.id)
@pytest.mark.parametrize("output", ["", "a line that was printed\n" * 39])
def test_every_mistake_fits_where_all_checks_fail(topic: Topic, output: str) -> None:
    checks = tuple(check(number) for number in range(22))
    for mistake in read_checks(topic).mistakes:
        named = Diagnosis(mistake.id, mistake.says)
        verdict = failed(*checks, topic=topic.id, diagnosis=named, output=output.rstrip())
        for width in (80, 100):
            lines = shown(verdict, width)
            assert len(lines) <= ROWS
            assert max(map(len, lines)) <= width
        assert sum(line.startswith("  FAIL") for line in lines) >= 2


def test_the_first_failure_stands_last_with_its_numbers() -> None:
    lines = shown(failed(*(check(number) for number in range(20)), output="printed"))
    assert len(lines) == ROWS
    assert [line.split()[1] for line in lines if line.startswith("  FAIL")] == [*"123456789", "0"]
    assert "  and 10 more like these" in lines
    text = "\n".join(lines)
    assert text.count("largest difference") == 1
    assert text.index("printed") < text.index("FAIL  0") < text.index("0 of 20 checks passed")
    assert "\n".join(shown(failed(check(0), check(1)), verbose=True)).count("largest difference") == 2


def test_an_error_of_most_checks_stands_below_the_numbers_of_one() -> None:
    error = "RuntimeError: sizes do not match\n  line 4, in softmax:  return e / e.sum(dim)"
    errors = [check(number, Outcome.ERROR, error) for number in (1, 2, 3)]
    verdict = failed(check(0), *errors, check(4))
    text = "\n".join(shown(verdict))
    assert text.index("FAIL   4") < text.index("ERROR  1") < text.index("sizes do not match")
    assert "the same in 2 more checks" in text and "largest difference" not in text
    assert next_step(verdict, SOFTMAX)[0].startswith("look at line 4")


def test_what_a_mistake_explains_has_no_numbers_and_what_it_does_not_has() -> None:
    named = Diagnosis("one + two", "The one.\n\nThe other.", ("test_0", "test_2"))
    text = "\n".join(shown(failed(*(check(number) for number in range(5)), diagnosis=named)))
    above, below = text.split("  In these 2 checks your values are exactly those of these two mistakes:\n")
    unexplained, explained = above.split("largest difference")
    assert "Not explained by what is said below:" in unexplained
    assert [f" {number} a title" in unexplained for number in range(5)] == [False, True, False, True, True]
    assert " 0 a title" in explained and " 2 a title" in explained
    assert below.startswith("    - The one.\n    - The other.\n\n")


def test_an_error_that_repeats_is_said_once() -> None:
    frames = "\n  line {}, in forward:  call()\n  line 9, in call:  return mask"
    message = "with mask={}: NameError: name 'mask' is not defined" + frames
    same = [check(number, Outcome.ERROR, message.format(number, 5)) for number in range(12)]
    lines = shown(failed(*same))
    assert sum("NameError" in line for line in lines) == 1
    assert "           the same in 11 more checks" in lines
    other = check(12, Outcome.ERROR, message.format(1, 5).replace("mask' is", "x' is"))
    assert "           the same line in 12 more checks" in shown(failed(*same, other))
    elsewhere = check(12, Outcome.ERROR, message.format(1, 5).replace("line 9", "line 8"))
    assert sum("ERROR" in line for line in shown(failed(*same, elsewhere))) == 2


def test_a_timeout_is_the_same_however_long_it_took() -> None:
    late = [
        check(number, Outcome.TIMEOUT, f"stopped after {seconds} s: an endless loop?\n  line 7:  while True:")
        for number, seconds in enumerate(["10", "4.9"])
    ]
    assert "          the same in 1 more check" in shown(failed(*late))


def test_what_waits_and_what_was_not_run_are_counts() -> None:
    todo = "with name='relu': not started: relu still raises NotImplementedError"
    waiting = [check(number, Outcome.NOT_RUN, todo) for number in range(3)]
    late = [check(number, Outcome.NOT_RUN, "not run: no time was left") for number in (3, 4)]
    lines = shown(failed(*waiting, *late))
    assert "  todo  relu is not written: 3 checks wait for it" in lines
    assert "  -     2 checks were not run: no time was left" in lines


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"softmax": "right", "log_softmax": "not_started"}, "softmax is right; log_softmax is not written."),
        ({"a": "right", "b": "right", "c": "wrong"}, "a and b are right; c is not."),
        ({"a": "wrong", "b": "not_started"}, None),
        ({"a": "right"}, None),
        ({}, None),
    ],
)
def test_parts_that_are_right_are_told(parts: dict[str, str], sentence: str | None) -> None:
    lines = shown(failed(check(0), parts=parts))
    assert (f"  {sentence}" in lines) if sentence else not any("right;" in line for line in lines)


ERROR = "NameError: x\n  line 3, in forward:  f()\n  line 12, in f:  return x"
NAMED = Diagnosis("one", "The one.")
PASSES = replace(failed(), outcome=Outcome.PASSED, checks=(check(0, Outcome.PASSED, ""),))
NOT_WRITTEN = "not started: log_softmax still raises NotImplementedError"


@pytest.mark.parametrize(
    ("verdict", "hints", "advice", "command"),
    [
        (PASSES, 0, "compare it with the reference:", "make compare topic=softmax"),
        (failed(check(0)), 0, "", "make hint topic=softmax"),
        (failed(check(0)), 3, "", "make notebook topic=softmax"),
        (failed(check(0), diagnosis=NAMED), 3, "correct that, then:", "make check topic=softmax"),
        (failed(check(0, Outcome.ERROR, ERROR)), 0, "look at line 12, then:", "make check topic=softmax"),
        (
            failed(check(0, Outcome.ERROR, ERROR), diagnosis=NAMED),
            0,
            "look at line 12, then:",
            "make check topic=softmax",
        ),
        (
            failed(check(0, Outcome.NOT_RUN, NOT_WRITTEN)),
            0,
            "write log_softmax, then:",
            "make check topic=softmax",
        ),
    ],
)
def test_the_next_step_fits(verdict: Verdict, hints: int, advice: str, command: str) -> None:
    assert next_step(verdict, SOFTMAX, hints) == (advice, command)


def test_after_a_mistake_or_wrong_values_the_trail_tells_the_line() -> None:
    for verdict in (failed(check(0), diagnosis=NAMED), failed(check(0))):
        verdict = replace(verdict, trail=Trail((), "scores", 25))
        assert next_step(verdict, SOFTMAX)[0] == "look at line 25, then:"


def test_where_every_save_is_graded_it_is_a_save_or_a_key() -> None:
    error = failed(check(0, Outcome.ERROR, ERROR))
    assert next_step_while_saving(error, SOFTMAX) == ("look at line 12, and save it", "")
    assert next_step_while_saving(failed(check(0)), SOFTMAX) == ("press h for a hint", "")


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (ERROR, 12),
        ("The file is not Python: '(' was never closed, line 5.\n    x = (\n        ^", 5),
        ("softmax is forbidden\n  line 7:  F.softmax(x)", 7),
        ("the mask of line 3 differs", None),
    ],
)
def test_the_line_of_a_message(message: str, line: int | None) -> None:
    assert line_of(message) == line
