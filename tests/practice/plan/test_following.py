"""Following a track: what comes first, what comes behind it, and that the choice is kept."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from driving import CATALOG, byheart, progress_in
from hypothesis import given
from hypothesis import strategies as st
from practice.timed.by_script import scripted

from grader.practice.plan.following import Followed, followed, in_its_order
from grader.practice.plan.interview import aim_at
from grader.practice.plan.standing import Standing, State
from grader.practice.plan.steps import following, load_plan, next_step, steps
from grader.practice.schedule import Card, Level

TRACK = CATALOG.track("alignment")
assert TRACK is not None
OWN, SUPPORT = TRACK.topics, [topic for topic in TRACK.path if TRACK.builds_on(topic)]
OUTSIDE = [topic for topic in CATALOG.topics if topic not in TRACK.path]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PASSED, WRONG_USAGE = 0, 2


def where(**states: State) -> dict[str, Standing]:
    """Of all topics, those not named being new; what is due is late by a day, the other passes are not."""
    found = {}
    for topic in CATALOG.topics:
        state = states.get(topic.id, State.NEW)
        days = {State.DUE: -1, State.PASSED: 9}.get(state)
        card = None if days is None else Card(NOW, 1.0, 5.0, NOW + timedelta(days=days), Level.STUB)
        found[topic.id] = Standing(topic, state, card is not None, state is State.FAILING, None, card)
    return found


def along(standing: Mapping[str, Standing]) -> Followed:
    found = followed(TRACK, standing)
    assert found is not None
    return found


def test_reviews_of_other_topics_come_behind() -> None:
    mine, other, begun = SUPPORT[0].id, OUTSIDE[0].id, OUTSIDE[1].id
    states = where(**{mine: State.DUE, other: State.DUE, begun: State.STARTED})
    found = list(steps(states, NOW, along=along(states)))
    assert found[0].topic.id == mine and found[0].reason == "its review is due for 1 day"
    assert [step.topic.id for step in found[-2:]] == [other, begun]
    assert found[-2].reason == "its review is due for 1 day; it is not in the track alignment"
    assert {step.topic for step in found[1:-2]} <= set(TRACK.path)


def test_what_others_build_on_is_said_to_be() -> None:
    states = where()
    assert next_step(states, NOW, along=along(states)).topic == TRACK.path[0]
    reasons = {step.topic.id: step.reason for step in steps(states, NOW, along=along(states))}
    assert reasons[SUPPORT[0].id] == "topics of the track alignment build on it"
    passed = where(**{topic.id: State.PASSED for topic in SUPPORT})
    support = {topic.id for topic in SUPPORT}
    own = next(topic for topic in OWN if topic.prerequisites and support.issuperset(topic.prerequisites))
    reasons = {step.topic.id: step.reason for step in steps(passed, NOW, along=along(passed))}
    assert reasons[own.id].startswith("it is next in the track alignment, and you know ")


@given(st.lists(st.sampled_from(State), min_size=len(CATALOG.topics), max_size=len(CATALOG.topics)))
def test_nothing_that_is_due_or_begun_is_left_out(states: list[State]) -> None:
    standing = where(**{topic.id: state for topic, state in zip(CATALOG.topics, states, strict=True)})
    followed_, all_ = (list(steps(standing, NOW, along=each)) for each in (along(standing), None))
    assert all(step.topic in TRACK.path for step in followed_ if step.state is State.NEW)
    assert {step.topic for step in all_ if step.state is not State.NEW} == {
        step.topic for step in followed_ if step.state is not State.NEW
    }
    inside = [step.topic in TRACK.path for step in followed_]
    assert inside == sorted(inside, reverse=True)


def test_a_track_that_is_passed_says_so() -> None:
    states = where(**{topic.id: State.PASSED for topic in TRACK.path})
    found = next_step(states, NOW, along=along(states))
    assert found.topic is None
    assert found.reason.startswith(
        "All of the track alignment is passed, and nothing is due; the next review is "
    )
    assert following(states, TRACK.path[-1], NOW, along(states)) == OUTSIDE[0]
    assert following(where(), TRACK.path[0], NOW, along(where())) == TRACK.path[1]


def test_an_interview_asks_for_what_is_on_the_path() -> None:
    aim = aim_at(date(2026, 6, 1), along(where()).path, NOW, None)
    assert aim is not None and set(aim.to_learn) == set(TRACK.path) and not aim.left_out


def test_two_weeks_take_some_topics_a_day() -> None:
    assert along(where()).new_a_day == 1
    track = replace(TRACK, weeks=2, path=CATALOG.topics[:25])
    assert Followed(track, {topic.id: where()[topic.id] for topic in track.path}).new_a_day == 3  # in 12 days


def test_questions_of_the_path_come_first() -> None:
    assert in_its_order(TRACK, CATALOG.topics) == [*TRACK.path, *OUTSIDE]
    assert tuple(in_its_order(None, CATALOG.topics)) == CATALOG.topics


def test_a_track_that_is_no_more_is_not_followed(tmp_path: Path) -> None:
    progress = progress_in(tmp_path)
    progress.choices.follow("gone")
    assert load_plan(CATALOG, progress, NOW).followed is None
    progress.choices.follow("alignment")
    assert load_plan(CATALOG, progress, NOW).followed.track == TRACK
    assert load_plan(CATALOG, progress, NOW, "systems").followed.track.id == "systems"
    assert load_plan(CATALOG, progress, NOW, "none").followed is None
    progress.choices.follow(None)
    assert load_plan(CATALOG, progress, NOW).followed is None


# As one calls it


def test_a_track_is_followed_until_none(project: Path) -> None:
    first, count = TRACK.path[0].id, len(TRACK.path)
    line = f"Track alignment: 0 of {count} topics passed\n"
    wrong = byheart(project, "today", "--track", "alignmnt")
    assert (wrong.returncode, wrong.stdout) == (WRONG_USAGE, "") and "Did you mean alignment?" in wrong.stderr
    listed = byheart(project, "list", "--track", "alignment").stdout
    assert not (project / ".practice").exists() and listed.startswith(f"{line}\n")
    rows = [row.split()[:2] for row in listed.splitlines() if row.endswith(" min")]
    assert rows == [
        ["+", topic.id] if topic in SUPPORT else [topic.id, topic.title.split()[0]] for topic in TRACK.path
    ]
    assert byheart(project, "today", "--track", "alignment").stdout.startswith(
        f"Today, 30 minutes\n{line}  1  new     {first}"
    )
    assert byheart(project, "next").stdout.startswith(f"{line}Next: {first}, because topics of the track")
    assert byheart(project, "list").stdout.startswith(line)
    listed = byheart(project, "track").stdout
    assert "\n> alignment  Alignment" in listed and " h, 2 weeks: " in listed.splitlines()[0]
    scripted(project, "mock", "--minutes", "200", "--count", str(len(OWN)), steps=[])
    asked = progress_in(project).sessions.running("mock").topics
    assert sorted(asked) == sorted(topic.id for topic in OWN)
    byheart(project, "mock", "--drop")
    ended = byheart(project, "track", "none")
    assert (ended.returncode, ended.stdout.splitlines()[0]) == (PASSED, "You follow no track.")
    assert byheart(project, "next").stdout.startswith("Next: softmax, because it is next in the study order")
