"""An interview that asks parts: which are drawn, where they are written, and what they leave alone."""

from pathlib import Path

import pytest
from driving import CATALOG, byheart, catalog_in, progress_in
from hypothesis import given
from hypothesis import strategies as st
from practice.timed.by_script import NOT_PASSED, RIGHT, Q, scripted
from practice.timed.states import FAILED, PASSED, act
from practice.timed.test_topic_choice import standings

from grader.practice.exercises.levels import text_at
from grader.practice.plan.standing import State
from grader.practice.plan.standing import standings as standings_of
from grader.practice.record import clock
from grader.practice.record.secrecy import is_secret
from grader.practice.schedule import Level
from grader.practice.timed import mock
from grader.practice.timed.beginning import begun_mock
from grader.practice.timed.topic_choice import DoesNotFit, drawn
from grader.show.pages import mock as mock_text

NOW = clock.now()
LONG = [topic for topic in CATALOG.topics if topic.parts]
CACHE = CATALOG.asked("kv_cache.cache")
SOFTMAX = CATALOG["softmax"]


def of(*ids: str) -> dict:
    return {id_: standings()[id_] for id_ in ids}


# Drawn


@given(st.integers(), st.integers(2, 9), st.integers(0, 100))
def test_long_topics_are_asked_in_part_and_all_fit(seed: int, count: int, spare: int) -> None:
    shortest = sorted(min(form.minutes for form in (topic, *topic.parts)) for topic in CATALOG.topics)
    minutes = sum(shortest[:count]) + spare
    topics = drawn(standings(), count, seed, NOW, minutes)
    assert len({topic.id for topic in topics}) == count and sum(topic.minutes for topic in topics) <= minutes
    assert all((topic.part is None) == (not topic.parts) for topic in topics)
    assert topics == drawn(standings(), count, seed, NOW, minutes)


def test_alone_a_topic_is_asked_whole_if_there_is_time() -> None:
    (topic,) = drawn(of("zero"), 1, 1, NOW, CATALOG["zero"].minutes)
    assert topic == CATALOG["zero"]
    (part,) = drawn(of("zero"), 1, 1, NOW, CATALOG["zero"].minutes - 1)
    assert part.id == "zero" and part.part in CATALOG["zero"].parts


def test_every_part_is_asked_and_only_where_it_fits() -> None:
    least = min(CATALOG["bert"].parts, key=lambda part: part.minutes)
    found = {drawn(of("bert", "softmax"), 2, seed, NOW, 60) for seed in range(60)}
    assert {topic.name for pair in found for topic in pair} == {
        "softmax",
        *(CATALOG["bert"].asked_in_part(part).name for part in CATALOG["bert"].parts),
    }
    for seed in range(9):
        pair = drawn(of("bert", "softmax"), 2, seed, NOW, SOFTMAX.minutes + least.minutes)
        assert sum(topic.minutes for topic in pair) == SOFTMAX.minutes + least.minutes
    with pytest.raises(DoesNotFit, match=f"at least {SOFTMAX.minutes} \\+ {least.minutes} = "):
        drawn(of("bert", "softmax"), 2, 1, NOW, SOFTMAX.minutes + least.minutes - 1)


# Shown


def test_the_card_says_which_part_was_asked() -> None:
    state = act(mock.begun((CACHE, SOFTMAX), 1800.0, 5), (60, 0), (61, FAILED))
    body = mock_text.body_text(state, 100).plain
    assert "> 1  kv_cache.cache  Attention with a key/value cache: the cache  not yet: 1 of 2 checks" in body
    assert "Now: exercises/decoding/kv_cache.cache.py. Write KVCache; the rest is given. Every save" in body
    state = act(state, (90, "q"), (90, "q"))
    last = mock_text.last_text(state, [], 100, NOW).plain
    assert f"\n  kv_cache.cache      - of {CACHE.minutes} min  not yet" in last
    assert "\n    kv_cache.cache: " in last  # its question
    assert "\n  kv_cache.cache is a part of kv_cache: its schedule stays as it is." in last
    assert last.endswith("Next: make check topic=kv_cache args='--file exercises/decoding/kv_cache.cache.py'")
    assert mock.rating(CACHE, state.results[0]) is None and mock.rating(SOFTMAX, state.results[0]) is not None


def test_what_passes_is_no_pass_of_the_whole() -> None:
    state = act(mock.begun((CACHE,), 1800.0, 5), (60, 0), (61, PASSED))
    assert state.end is mock.End.PASSED and mock.rating(CACHE, state.results[0]) is None


# Done


def test_a_part_leaves_the_exercise_and_the_schedule_alone(project: Path) -> None:
    catalog, progress = catalog_in(project), progress_in(project)
    whole, part = catalog["kv_cache"], catalog.asked("kv_cache.cache")
    whole.exercise.write_text("mine = 1\n", encoding="utf-8")
    part.exercise.write_text("an earlier part\n", encoding="utf-8")
    notes: list[str] = []
    session = begun_mock((part, catalog["softmax"]), 30, 5, progress, notes)
    assert session.topics == ("kv_cache.cache", "softmax")
    assert part.exercise.read_text(encoding="utf-8") == text_at(part, Level.STUB)
    assert len(notes) == 1 and "restore topic=kv_cache.cache attempt=1" in notes[0]
    assert is_secret(progress, "kv_cache") and not is_secret(progress, "mha")
    assert "the mock interview of kv_cache.cache, softmax is not finished" in byheart(project, "next").stdout
    right = whole.solution.read_text(encoding="utf-8")
    wrong = right.replace("self.length = end\n", "self.length = end + 1\n")
    steps = [
        {"wait": 60},
        {"save": wrong, "file": "kv_cache.cache"},
        {"wait": 60},
        {"save": right, "file": "kv_cache.cache"},
        {"wait": 60},
        {"save": RIGHT.replace("exp", "sin"), "file": "softmax"},
        {"wait": 1700},
        Q,
    ]
    done = scripted(project, "mock", "--resume", steps=steps)
    assert (done.returncode, done.stderr) == (NOT_PASSED, "")
    assert "kv_cache.cache is a part of kv_cache: its schedule stays as it is." in done.stdout
    assert "1 of 2 passed in" in done.stdout and "softmax is rated again" in done.stdout
    assert whole.exercise.read_text(encoding="utf-8") == "mine = 1\n"
    assert [(each.topic, each.mode) for each in progress.attempts.of("kv_cache.cache")] == [
        ("kv_cache.cache", "saved"),
        ("kv_cache.cache", "mock"),
        ("kv_cache.cache", "mock"),
    ]
    assert progress.attempts.of("kv_cache") == [] and set(progress.reviews.cards()) == {"softmax"}
    standing = standings_of(catalog, progress, NOW)["kv_cache"]
    assert (standing.state, standing.has_passed, standing.best_seconds) == (State.STARTED, False, None)
    listed = byheart(project, "history").stdout
    assert "    kv_cache.cache  " in listed and listed.count("kv_cache.cache") >= 4
    restored = byheart(project, "restore", "kv_cache.cache", "1")
    assert "exercises/decoding/kv_cache.cache.py is as it was in attempt 1." in restored.stdout
    assert part.exercise.read_text(encoding="utf-8") == "an earlier part\n"
    assert whole.exercise.read_text(encoding="utf-8") == "mine = 1\n"
    unknown = byheart(project, "restore", "kv_cache.tail", "1")
    assert unknown.stderr.startswith("There is no part 'tail' of kv_cache. All topics: ")
