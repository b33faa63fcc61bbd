"""What the pages say: for every topic, and whatever an answer prints."""

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest
from driving import CATALOG, progress_in

from grader.curriculum.catalog import Topic
from grader.judge.verdict import Check, Diagnosis, Found, Outcome, Trail, Verdict
from grader.practice.command_line import typed
from grader.practice.exercises.contents import stub
from grader.practice.plan.agenda import todays_agenda
from grader.practice.plan.steps import load_plan
from grader.practice.record import clock
from grader.practice.timed import mock as mocks
from grader.web.drafts import FileText, Settled, Unreadable, difference, settled
from grader.web.texts.contract import contract_html, hints_html, questions_html
from grader.web.texts.markup import diff_html, paragraphs, prose, without_command
from grader.web.texts.timed import card_html, unrated_html
from grader.web.texts.topic_list import agenda_html, found
from grader.web.texts.verdict import LOOK, NEAR, RIGHT, marks_of, verdict_html

GQA = CATALOG["gqa"]
EVIL = "<script>alert(1)</script>"


@pytest.mark.parametrize("topic", CATALOG.topics, ids=lambda topic: topic.id)
def test_the_contract_says_all_that_the_stub_says(topic: Topic) -> None:
    """All words of its docstrings, signatures and what is given, but the imports and the empty bodies."""
    page = unescape(contract_html(topic))
    lines = [line for line in stub(topic).splitlines() if not line.startswith(("import ", "from "))]
    words = {word for line in lines for word in re.findall(r"[A-Za-z]{2,}", line.partition("# ")[0])}
    assert words - {"raise", "NotImplementedError"} - set(re.findall(r"[A-Za-z]{2,}", page)) == set()
    assert "raise NotImplementedError" not in page
    assert all(f"Hint {level} of 3" in hints_html(topic, 3) for level in (1, 2, 3))
    assert questions_html(topic).count("<details>") == len(topic.questions)


def test_a_part_says_what_of_it_is_asked() -> None:
    part = CATALOG.asked("kv_cache.cache")
    page = contract_html(part)
    assert "<p>Write KVCache; the rest is given.</p>" in page and "<code>kv_cache.cache</code>" in page
    begun = mocks.begun((part, GQA), 1800.0, 5)
    state = replace(begun, results=tuple(replace(each, tries=1) for each in begun.results))
    assert unrated_html(state) == "<p>kv_cache.cache is a part of kv_cache: its schedule stays as it is.</p>"
    assert '<th scope="row">kv_cache.cache</th>' in card_html(state)


def test_today_says_which_track_it_follows(tmp_path) -> None:
    progress = progress_in(tmp_path)
    progress.choices.follow("alignment")
    plan = load_plan(CATALOG, progress, clock.now())
    shown = agenda_html(todays_agenda(progress, plan, 30), plan, 30)
    assert (
        shown.startswith("<p>Track alignment: 0 of ") and "topics of the track alignment build on it" in shown
    )


def test_what_an_interview_has_no_time_for_is_folded(tmp_path) -> None:
    progress, now = progress_in(tmp_path), clock.now()
    progress.choices.aim_at((now + timedelta(days=9)).astimezone().date())
    plan = load_plan(CATALOG, progress, now)
    shown = agenda_html(todays_agenda(progress, plan, 30), plan, 30)
    assert plan.aim is not None
    told, _, folded = shown.partition(f"<details><summary>There is no time for {len(plan.aim.left_out)} ")
    assert "Interview on" in told and "There is no time" not in told
    assert folded.count("<li>") == len(plan.aim.left_out) and folded.endswith("</details>")


def test_names_in_prose_are_code_and_stars_stress() -> None:
    assert prose("x.amax(dim=dim) is *before* head_dim, e.g. 2 * 3 * 4; sqrt(mean(x))") == (
        "<code>x.amax(dim=dim)</code> is <em>before</em> <code>head_dim</code>, e.g. 2 * 3 * 4; "
        "<code>sqrt(mean(x))</code>"
    )
    assert prose("`a` of head_dim") == "<code>a</code> of head_dim"
    assert "<script>" not in prose(f"{EVIL} f({EVIL}) *{EVIL}*")


def test_numbered_lines_of_a_hint_stay_lines() -> None:
    page = hints_html(CATALOG["softmax"], 2)
    assert "<p>1. the largest" in page and "<p><code>log_softmax</code>: 1. and 2. the same" in page
    assert "<p>2. Split and transpose: query (batch" in hints_html(GQA, 2)


def test_what_is_listed_is_a_list() -> None:
    text = "In each:\n- one that\n  goes on;\n- another.\nAnd then:\nmore.\nx: an argument,\n    indented."
    assert paragraphs(text) == (
        "<p>In each:</p><ul><li>one that goes on;</li><li>another.</li></ul>"
        "<p>And then: more.<br>x: an argument, indented.</p>"
    )
    assert "<li>no logit is NaN or infinite.</li></ul>" in contract_html(CATALOG["transformer"])


def test_pages_do_not_say_what_to_type() -> None:
    command = typed("quiz")
    assert without_command(f"3 questions left: {command}", "quiz") == "3 questions left."
    assert without_command(f"questions ({command}): 3", "quiz") == "questions: 3"


def verdict(*checks: Check, **others: object) -> Verdict:
    return Verdict("gqa", "gqa.py", Outcome.FAILED, checks, **others)  # type: ignore[arg-type]


def test_the_mistake_comes_first_and_nothing_is_taken_for_markup() -> None:
    failing = Check("test_a", EVIL, Outcome.FAILED, EVIL, output=EVIL, case=EVIL)
    other = Check("test_b", "something else", Outcome.FAILED, "is wrong")
    passing = Check("test_c", EVIL, Outcome.PASSED)
    told = Diagnosis("heads", f"{EVIL} is `wrong`", ("test_a",), ("test_b",))
    page = verdict_html(verdict(failing, other, passing, diagnosis=told, output=EVIL), GQA)
    assert "<script>" not in page
    assert (
        page.index("1 of 3 checks passed") < page.index("In 1 of the 2 checks") < page.index("something else")
    )
    assert "<code>wrong</code>" in page
    assert page.count('<details name="check" open>') == 1
    whole = verdict_html(Verdict("gqa", EVIL, Outcome.ERROR, message=EVIL), GQA)
    assert "<script>" not in whole
    assert "<script>" not in paragraphs(f"{EVIL}\n\n    {EVIL}") + diff_html([f"+{EVIL}"])


def test_what_passes_once_is_shown_before_other_inputs_are_tried() -> None:
    once = Verdict("gqa", "gqa.py", Outcome.PASSED, (Check("a", "title", Outcome.PASSED),), seconds=0.1)
    told = '<p class="quiet">All checks pass. Trying other inputs …</p>'
    assert told in verdict_html(once, GQA, is_searching=True)
    assert "Trying" not in verdict_html(once, GQA)


def test_prints_are_shown_once_and_words_in_full() -> None:
    failing = Check("test_a", "equals", Outcome.FORBIDDEN, "is wrong", output="mine")
    page = verdict_html(Verdict("gqa", "gqa.py", Outcome.FORBIDDEN, (failing,), output="mine"), GQA)
    assert page.count("mine") == 1 and page.count(">FORBIDDEN<") == 2
    silent = replace(failing, output="")
    page = verdict_html(Verdict("gqa", "gqa.py", Outcome.TIMEOUT, (silent,), output="mine"), GQA)
    assert "Your output (last lines):" in page and ">OUT OF TIME<" in page


def test_lines_are_marked_with_what_is_known_of_them() -> None:
    trail = Trail((Found("query", 3), Found("key", 3), Found("scores", 4, 2.0)), "weights", 5)
    failing = Check("test_a", "equals the built-in", Outcome.FAILED, "differs")
    marks = marks_of(verdict(failing, trail=trail))
    assert marks[3] == (RIGHT, "query is there; key is there")
    assert marks[4] == (NEAR, "2 times scores")
    assert marks[5] == (LOOK, "weights is not right from here on: look at this line")
    named = Diagnosis("unscaled", "Divide.", look=7, reach="before")
    marks = marks_of(replace(verdict(failing), diagnosis=named))
    assert marks == {7: (LOOK, "look at this line and what leads to it")}
    assert marks_of(Verdict("gqa", "gqa.py", Outcome.PASSED)) == {}


def test_the_search_looks_at_names_and_at_what_topics_are_about() -> None:
    assert found(CATALOG, "") == {topic.id for topic in CATALOG.topics}
    assert "gqa" in found(CATALOG, "GQA")
    assert "gqa" in found(CATALOG, "kv cache llama")
    assert "sdpa" in found(CATALOG, "attention vaswani")
    assert found(CATALOG, "no topic says xylophone") == set()


@pytest.mark.parametrize(
    ("base", "typed", "disk", "expected"),
    [
        ("a", "a", "a", Settled.SAME),
        ("a", "b", "b", Settled.SAME),
        ("a", "b", "a", Settled.TYPED),
        ("a", "a", "b", Settled.FILE),
        ("a", "b", "c", Settled.CONFLICT),
    ],
)
def test_two_texts_come_together(base: str, typed: str, disk: str, expected: Settled) -> None:
    assert settled(base, typed, disk) is expected
    assert (difference(disk, typed) == []) is (disk == typed)


def test_lines_end_in_the_file_as_they_did(tmp_path) -> None:
    path = tmp_path / "answer.py"
    assert (FileText.of(path).text, FileText.of(path).is_there) == ("", False)
    path.write_bytes(b"a\r\nb\r\n")
    read = FileText.of(path)
    assert read.text == "a\nb\n"
    read.write(path, "a\nc\n")
    assert path.read_bytes() == b"a\r\nc\r\n"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(Unreadable, match="not in UTF-8"):
        FileText.of(path)
