"""Which topics an interview draws."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from practice.timed.states import CATALOG, GQA, NOW, SOFTMAX

from grader.practice.plan.standing import Standing, State
from grader.practice.schedule import Card, Rating, reviewed
from grader.practice.timed.follow_ups import follow_ups
from grader.practice.timed.topic_choice import FLOOR, DoesNotFit, askable, drawn, weakness, weight


def standings(**cards: Card) -> dict[str, Standing]:
    return {
        topic.id: Standing(
            topic,
            State.PASSED if topic.id in cards else State.NEW,
            topic.id in cards,
            False,
            None,
            cards.get(topic.id),
        )
        for topic in CATALOG.topics
    }


@given(st.integers(), st.integers(1, 9), st.integers(0, 200))
def test_topics_are_drawn_once_each_the_same_by_the_same_seed_and_fit(
    seed: int, count: int, spare: int
) -> None:
    shortest = sum(sorted(topic.minutes for topic in CATALOG.topics)[:count])
    topics = drawn(standings(), count, seed, NOW, shortest + spare)
    assert len(topics) == len(set(topics)) == count
    assert sum(topic.minutes for topic in topics) <= shortest + spare
    assert topics == drawn(standings(), count, seed, NOW, shortest + spare)


@pytest.mark.parametrize(
    ("chapter", "count", "minutes", "told"),
    [
        ("losses", 5, 600, "5 topics cannot be asked: there are 4."),
        (
            "losses",
            3,
            20,
            "3 topics need at least 5 + 10 + 10 = 25 minutes, and there are 20: at most 2 fit. "
            "Say count=2, or minutes=25.",
        ),
        (
            "losses",
            1,
            4,
            "1 topic needs at least 5 minutes, and there are 4: none fits. Say minutes=5.",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_the_arithmetic(
    chapter: str, count: int, minutes: int, told: str
) -> None:
    with pytest.raises(DoesNotFit) as refusal:
        drawn(askable(standings(), chapter), count, 1, NOW, minutes)
    assert str(refusal.value) == told


def test_only_a_chapter_is_asked_and_nothing_suspended() -> None:
    topics = drawn(askable(standings(), "losses"), 4, 1, NOW, 40)
    assert {topic.chapter for topic in topics} == {"losses"} and len(topics) == 4
    assert askable(standings()) == standings()
    track = CATALOG.track("alignment")
    assert list(askable(standings(), None, track)) == [
        each.id for each in CATALOG.topics if each in track.topics
    ]
    assert not askable(standings(), "foundations", track)
    without = standings()
    without["bce"] = replace(without["bce"], state=State.SUSPENDED)
    assert "bce" not in askable(without, "losses")


def test_a_topic_weighs_more_the_weaker_it_is() -> None:
    card = reviewed(None, Rating.GOOD, NOW)
    known = standings(softmax=card)["softmax"]
    later = NOW + timedelta(days=100)
    assert weakness(known, NOW) == FLOOR
    assert FLOOR < weakness(known, later) < 1.0
    assert weakness(replace(known, is_failing=True), NOW) == 1.0
    assert weakness(replace(known, has_passed=False), NOW) == 1.0
    assert weakness(replace(known, card=None), NOW) == 1.0
    assert weight(known, later) == SOFTMAX.frequency * weakness(known, later)


def test_topics_are_drawn_by_their_weights() -> None:
    card = reviewed(None, Rating.EASY, NOW)
    asked = {id_: each for id_, each in standings(softmax=card).items() if id_ in ("softmax", "gqa")}
    first = Counter(drawn(asked, 1, seed, NOW, 45)[0].id for seed in range(2000))
    expected = weight(asked["softmax"], NOW) / sum(weight(each, NOW) for each in asked.values())
    assert first["softmax"] / 2000 == pytest.approx(expected, abs=0.02)


def test_follow_up_questions_are_the_same_within_a_session() -> None:
    assert follow_ups(GQA, 3, 1) == follow_ups(GQA, 3, 1)
    assert len(set(follow_ups(GQA, 3, 1))) == 3
    assert len({follow_ups(GQA, 3, number) for number in range(20)}) > 1
    assert sorted(follow_ups(GQA, 99, 1), key=str) == sorted(GQA.questions, key=str)
