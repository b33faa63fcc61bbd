"""What is asked on a day."""

from datetime import date, timedelta

import pytest
from turns import A_DAY, are_walls_changed, is_turn_of, todays

from grader.curriculum.catalog import load_catalog

IDS = [topic.id for topic in load_catalog().topics]
DAY = date(2026, 11, 1)


def test_each_topic_has_its_turn_within_days() -> None:
    days = -(-len(IDS) // A_DAY)
    for start in range(7):
        week = [todays(IDS, DAY + timedelta(days=start + day), ()) for day in range(days)]
        assert set().union(*week) == set(IDS)
        assert {len(topics) for topics in week} == {A_DAY}


def test_what_was_changed_comes_first() -> None:
    later = next(topic for topic in IDS if topic not in todays(IDS, DAY, ()))
    for file in (
        f"solutions/attention/{later}.py",
        f"grader/topics/attention/{later}/mistakes.py",
        f"notebooks/attention/{later}.ipynb",
        f"tests/answers/{later}/loops.py",
    ):
        asked = todays(IDS, DAY, ["README.md", file])
        assert later in asked and len(asked) == A_DAY


def test_where_all_are_changed_they_take_turns() -> None:
    files = [f"solutions/attention/{topic}.py" for topic in IDS]
    assert todays(IDS, DAY, files) == todays(IDS, DAY, ())


@pytest.mark.parametrize("places", [1, 2, 5])
def test_each_way_has_its_turn_once_within_as_many_days(places: int) -> None:
    for name in ("softmax", "orphans {'name': 3}"):
        for start in range(7):
            days = [DAY + timedelta(days=start + day) for day in range(places)]
            turns = [
                [place for place in range(places) if is_turn_of(place, places, name, day)] for day in days
            ]
            assert sorted(turns) == [[place] for place in range(places)]


def test_not_all_are_asked_in_the_same_way_on_a_day() -> None:
    assert {is_turn_of(0, 2, name, DAY) for name in IDS} == {True, False}


@pytest.mark.parametrize(
    "file, is_changed",
    [
        ("grader/worker/walls/guard.py", True),
        ("tests/hostile/endless_loop.py", True),
        ("grader/worker/answering/host.py", False),
        ("grader/topics/attention/gqa/mistakes.py", False),
    ],
)
def test_walls_that_were_changed_are_tried_in_every_way(file: str, is_changed: bool) -> None:
    assert are_walls_changed(DAY, ["README.md", file]) == is_changed
