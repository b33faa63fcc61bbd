"""Rendered verdicts, whole: `golden/show` holds a text for each of these.

After a change of the layout, `BYHEART_GOLDEN=write pytest tests/test_show.py` writes them anew: read their
diff.
"""

import os
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from driving import TESTS
from hypothesis import given
from hypothesis import strategies as st

from grader.curriculum.catalog import Catalog, Chapter, Topic
from grader.curriculum.pack import Pack
from grader.curriculum.workspace import Workspace
from grader.judge.verdict import Check, Cost, Diagnosis, Outcome, Verdict
from grader.practice.plan.schedule import Card, Level
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import next_step
from grader.practice.record.attempts import Attempt
from grader.practice.record.sessions import Session
from grader.show.moments import day_text
from grader.show.pages.hint import hint_text
from grader.show.pages.history import history_text
from grader.show.pages.topic_list import catalog_text, step_text
from grader.show.terminal.meanwhile import Meanwhile
from grader.show.verdicts.compare import comparison_text
from grader.show.verdicts.outcomes import WORDS
from grader.show.verdicts.sentences import summary_text
from grader.show.verdicts.two_steps import ShownVerdict
from grader.show.verdicts.verdict import brief_text, verdict_text


def topic(id_: str, chapter: str, title: str, difficulty: int, minutes: int) -> Topic:
    hints = ("The idea.", "The steps.", "\ndef softmax(x):\n    ...\n")
    root = Path("project")
    places = Pack.in_clone(root), Workspace(root)
    return Topic(id_, chapter, title, difficulty, minutes, 1, "torch", (), hints, (), (), *places)


FOUNDATIONS = (
    topic("softmax", "foundations", "Softmax and log-softmax", 1, 8),
    topic("activations", "foundations", "Activation functions", 2, 15),
)
ATTENTION = (
    topic("gqa", "attention", "Grouped-query attention", 3, 15),
    topic("mla", "attention", "Latent attention", 3, 120),
)
CATALOG = Catalog(
    (Chapter("foundations", "Foundations", FOUNDATIONS), Chapter("attention", "Attention", ATTENTION))
)
FOLDER = TESTS / "golden" / "show"

PASSED = Verdict(
    "gqa",
    "exercises/attention/gqa.py",
    Outcome.PASSED,
    (Check("test_a", "K and V project to num_kv_heads * head_dim", Outcome.PASSED),),
    cost=Cost(3000, 420, 2000, 420),
    seconds=1.234,
)
FAILED = replace(
    PASSED,
    outcome=Outcome.FAILED,
    checks=(
        *PASSED.checks,
        Check(
            "test_b",
            "equals F.scaled_dot_product_attention with enable_gqa=True",
            Outcome.FAILED,
            "with num_heads=6, num_kv_heads=2: largest difference 0.412 at [0, 3, 5]: yours 0.118, expected"
            " 0.530; 83 % of 420 values differ",
        ),
    ),
    diagnosis=Diagnosis(
        "kv-heads-tiled", "You tile the key heads (0 1 0 1). " + "Repeat each head in place. " * 5
    ),
    cost=None,
    output="[bold]x[/bold] \u2026\n  tensor([[1., 2.]])",
)
FRAMES = "\n  line 12, in forward:  return self.attend(x)\n  line 20, in attend:  return missing"
EVERY_OUTCOME = replace(
    FAILED,
    outcome=Outcome.FORBIDDEN,
    checks=(
        Check("test_a", "a check that passes", Outcome.PASSED),
        Check("test_b", "raises an exception", Outcome.ERROR, "with mask=None: NameError: no" + FRAMES),
        Check("test_c", "raises it again", Outcome.ERROR, "with mask=True: NameError: no" + FRAMES),
        Check("test_d", "is too slow", Outcome.TIMEOUT, "stopped after 10 s: an endless loop?"),
        Check("test_e", "ends the process", Outcome.CRASHED, "the process ended itself (os._exit(0))"),
        Check(
            "test_f", "uses the built-in", Outcome.FORBIDDEN, "softmax is forbidden\n  line 7:  F.softmax(x)"
        ),
        Check(
            "test_g",
            "is not written",
            Outcome.NOT_RUN,
            "not started: forward still raises NotImplementedError",
        ),
        Check(
            "test_h",
            "is not written too",
            Outcome.NOT_RUN,
            "not started: forward still raises NotImplementedError",
        ),
        Check("test_i", "came too late", Outcome.NOT_RUN, "not run: no time was left"),
        Check(
            "test_j", "a title that goes on for so long that " + "it has to be wrapped, " * 4, Outcome.PASSED
        ),
    ),
    diagnosis=Diagnosis("one + two", "The first mistake.\n\nThe second one."),
    output="",
)
UNRUN = (Check("test_a", "a check that was not run", Outcome.NOT_RUN),)


def whole_file(outcome: Outcome, message: str) -> Verdict:
    return Verdict("softmax", "exercises/foundations/softmax.py", outcome, UNRUN, message=message)


VERDICTS = {
    "passed": PASSED,
    "passed_last_topic": replace(PASSED, topic="mla", cost=Cost(0, 30, 0, 1000)),
    "failed": FAILED,
    "every_outcome": EVERY_OUTCOME,
    "not_started": whole_file(Outcome.NOT_STARTED, "Nothing is written yet."),
    "import_error": whole_file(
        Outcome.ERROR, "The file cannot be imported.\nValueError: x\n  line 3, in <module>:  f()"
    ),
    "unreadable": replace(
        whole_file(Outcome.UNREADABLE, "There is no such file."), file="odd\x1b[31m\udcff/\u202e.py"
    ),
}


def is_golden(text: str, name: str) -> bool:
    """Whether a text is the one that is kept under that name."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("BYHEART_GOLDEN") == "write":
        path.write_text(text + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8") == text + "\n"


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str) -> None:
    assert is_golden(verdict_text(VERDICTS[name], CATALOG, 100).plain, name)


@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.parametrize("in_two_steps", [True, False])
def test_in_two_steps_the_same_is_printed(
    name: str, in_two_steps: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = VERDICTS[name]
    shown = ShownVerdict(CATALOG, Meanwhile("Grading"), lambda topic: 0)
    if in_two_steps:
        shown.checked(replace(verdict, diagnosis=None))
    shown.complete(verdict)
    assert capsys.readouterr().out == verdict_text(verdict, CATALOG, 100).plain + "\n"


def test_narrow_terminal() -> None:
    assert is_golden(verdict_text(FAILED, CATALOG, 50).plain, "narrow")


def test_summary() -> None:
    lines = [brief_text(PASSED, CATALOG), summary_text([PASSED, FAILED]), summary_text([PASSED])]
    assert is_golden("\n".join(line.plain for line in lines), "summary")


NOW = datetime(2026, 3, 1, 12).astimezone()


def standing(topic: Topic, state: State, best: float | None = None, days: int | None = None) -> Standing:
    """Where a topic stands; its review comes in so many days."""
    card = None if days is None else Card(NOW, 1.0, 5.0, NOW + timedelta(days=days), Level.STUB)
    return Standing(topic, state, state is State.PASSED, state is State.FAILING, best, card)


def test_catalog() -> None:
    standings = {
        "softmax": standing(CATALOG["softmax"], State.PASSED, best=371.9, days=3),
        "activations": standing(CATALOG["activations"], State.DUE, days=-2),
        "gqa": standing(CATALOG["gqa"], State.FAILING),
        "mla": standing(CATALOG["mla"], State.NEW),
    }
    step = next_step(standings, NOW)
    assert is_golden(catalog_text(CATALOG, standings, step, NOW, 100).plain, "catalog")


LARGE = Catalog(
    tuple(
        Chapter(f"chapter_{c}", f"Chapter {c}", tuple(
            topic(f"topic_{c}_{t}", f"chapter_{c}", f"Title of topic {t} in chapter {c}", 1, 10)
            for t in range(8 if c < 5 else 5)
        ))
        for c in range(16)
    )
)  # fmt: skip
"""As large as the whole curriculum is to be: 95 topics."""


def large(**states: State) -> list[str]:
    """The lines of its list on a usual terminal, all topics but those named being new."""
    where = {each.id: standing(each, states.get(each.id, State.NEW), days=0) for each in LARGE.topics}
    text = catalog_text(LARGE, where, next_step(where, NOW), NOW, 80, lines=23)
    return text.plain.splitlines()


def test_a_large_catalog_fits_on_one_screen() -> None:
    assert len(LARGE.topics) == 95
    lines = large()
    assert len(lines) <= 23 and max(map(len, lines)) <= 80
    assert lines[1] == "Chapter 0"  # open, because what is next is in it
    assert sum(line.startswith("  topic_0_") for line in lines) == 8
    assert lines[-4] == "15 more chapters  87 topics, all new: make list all"


def test_what_is_at_work_is_open() -> None:
    lines = large(topic_9_1=State.DUE, topic_12_0=State.FAILING, topic_12_4=State.PASSED)
    assert len(lines) <= 23
    shown = [line.split()[0] for line in lines if line.startswith("  topic_")]
    assert shown == [f"topic_{chapter}_{number}" for chapter in (9, 12) for number in range(5)]
    assert lines[-1].endswith("drill topic=topic_9_1")


def test_a_chapter_that_is_too_long_shows_what_is_at_work() -> None:
    states = {f"topic_{chapter}_0": State.DUE if chapter == 9 else State.FAILING for chapter in range(16)}
    lines = large(**states)
    assert len(lines) <= 23 and "Chapter 9" in lines and "Chapter 7    5 topics: 4 new, 1 failing" in lines
    at = lines.index("Chapter 9")
    assert lines[at + 1].startswith("  topic_9_0") and lines[at + 2] == "  and 4 more: make list chapter_9"


@given(st.lists(st.sampled_from(State), min_size=95, max_size=95))
def test_whatever_the_states_it_fits_and_counts_every_topic(states: list[State]) -> None:
    ids = [each.id for each in LARGE.topics]
    lines = large(**dict(zip(ids, states, strict=True)))
    assert len(lines) <= 23
    folded = sum(int(line.split()[2]) for line in lines if line.startswith("Chapter ") and ":" in line)
    folded += sum(int(line.split()[3]) for line in lines if " more chapters " in line)
    more = sum(int(line.split()[1]) for line in lines if line.startswith("  and "))
    assert folded + more + sum(line.startswith("  topic_") for line in lines) == 95


def test_without_a_terminal_everything_is_listed() -> None:
    where = {each.id: standing(each, State.NEW) for each in LARGE.topics}
    text = catalog_text(LARGE, where, next_step(where, NOW), NOW, 100).plain
    assert all(f"  {each.id} " in text for each in LARGE.topics)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("drill", "the drill of gqa, mla is not finished: 3 of 15 minutes are over."),
        ("mock", "the mock interview of gqa, mla is not finished: 3 of 15 minutes are over."),
    ],
)
def test_what_was_cut_off_is_next(kind: str, told: str) -> None:
    where = {each.id: standing(each, State.DUE, days=0) for each in CATALOG.topics}
    cut_off = Session(1, kind, NOW, ("gqa", "mla"), 900.0, 200.0, "running", {})
    text = step_text(next_step(where, NOW, cut_off)).plain
    assert text == f"Next: go on, because {told}\n      make {kind}"


@pytest.mark.parametrize(
    ("states", "text"),
    [
        (
            [State.NEW] * 4,
            "softmax, because it is next in the study order.\n      open exercises/foundations",
        ),
        ([State.PASSED, State.STARTED, State.NEW, State.NEW], "make check topic=activations"),
        ([State.STARTED, State.STARTED, State.NEW, State.FAILING], "mla, because its last check did not"),
        ([State.PASSED] * 4, "All is done for now; the next review is gqa, on Tuesday, 03 March."),
    ],
)
def test_what_is_next(states: list[State], text: str) -> None:
    topics = zip(CATALOG.topics, states, [5, None, 2, 9], strict=True)
    standings = {topic.id: standing(topic, state, days=days) for topic, state, days in topics}
    assert text in step_text(next_step(standings, NOW)).plain


def test_history() -> None:
    moment = datetime(2026, 3, 1, 12, 30).astimezone()
    first = Attempt(1, "gqa", "check", moment, None, Outcome.FAILED, 4, 6, "tiled", 2, True, "ab", None)
    attempts = [
        first,
        replace(
            first, id=2, mode="saved", outcome=None, checks=0, mistake=None, hints=0, solution_seen=False
        ),
        replace(first, id=30, mode="drill", seconds=671.2, outcome=Outcome.PASSED, passed=6, mistake=None),
        replace(first, id=31, mode="mock", session=5, outcome=Outcome.NOT_STARTED, hints=0),
    ]
    assert is_golden(history_text(attempts, 100, {5}).plain, "history")


def test_comparison() -> None:
    own = '"""Module."""\n\nimport torch\n\n\ndef f(\n    x,\n):\n    """Doc."""\n    return x  # why\n'
    text = comparison_text(CATALOG["gqa"], PASSED.cost, own, own + "\ny = 1\n").plain
    assert is_golden(text, "comparison")
    assert "FLOPs" not in comparison_text(CATALOG["gqa"], None, own, own).plain


@pytest.mark.parametrize(
    ("days", "text"),
    [(-3, "today"), (0, "today"), (1, "tomorrow"), (14, "in 14 days"), (15, "16 Mar"), (310, "5 Jan 2027")],
)
def test_days(days: int, text: str) -> None:
    assert day_text(NOW + timedelta(days=days), NOW) == text


@pytest.mark.parametrize("level", [1, 3])
def test_hint(level: int) -> None:
    assert is_golden(hint_text(CATALOG["softmax"], level, 100), f"hint_{level}")


def test_every_outcome_has_a_word() -> None:
    assert set(WORDS) == set(Outcome)


def test_nothing_is_taken_for_markup() -> None:
    assert "[bold]x[/bold]" in verdict_text(FAILED, CATALOG, 100).plain


def test_commands_stay_on_one_line() -> None:
    for verdict in VERDICTS.values():
        lines = verdict_text(verdict, CATALOG, 30).plain.splitlines()
        assert [
            line for line in lines if line.endswith(("make", "make check", "make hint", "make reset"))
        ] == []
