"""Which topics are asked everything on a day."""

from datetime import date, timedelta

from turns import A_DAY, todays

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
