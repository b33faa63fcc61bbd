"""Import merges: everything once, each side in its order."""

from datetime import timedelta
from pathlib import Path

import pytest
from driving import progress_in
from practice.transfer.records import START, at, attempt, exported, filled, hash_of, imported, review, session

from grader.judge.verdict import Outcome
from grader.practice.transfer.exporting import export_to
from grader.practice.transfer.format import ATTEMPT, HELP, REVIEW, SESSION
from grader.practice.transfer.importing import import_from


def test_later_events_stay_later(tmp_path: Path) -> None:
    """What comes in may be older than what is here: the last review decides, and the last verdict."""
    here = filled(
        tmp_path / "here",
        {ATTEMPT: [attempt(0), attempt(10, outcome="failed")], REVIEW: [review(0), review(10, rating=1)]},
    )
    there = filled(
        tmp_path / "there",
        {ATTEMPT: [attempt(5), attempt(20, "gqa")], REVIEW: [review(5, rating=4), review(20, "gqa")]},
    )
    export_to(there.database, tmp_path / "file")
    before = here.reviews.cards()["softmax"]
    result = imported(here, tmp_path / "file")
    assert result.renumbered
    assert [(each.topic, each.started) for each in here.attempts.of()] == [
        ("softmax", START),
        ("softmax", START + timedelta(minutes=5)),
        ("softmax", START + timedelta(minutes=10)),
        ("gqa", START + timedelta(minutes=20)),
    ]
    assert here.attempts.summaries()["softmax"].last is Outcome.FAILED
    assert here.reviews.cards()["softmax"] == before
    assert [each.id for each in here.attempts.of()] == [1, 2, 3, 4]


def test_what_is_newer_is_added_without_numbering_anew(tmp_path: Path) -> None:
    here = filled(tmp_path / "here", {ATTEMPT: [attempt(0)]})
    there = filled(tmp_path / "there", {ATTEMPT: [attempt(0), attempt(5)]})
    export_to(there.database, tmp_path / "file")
    result = imported(here, tmp_path / "file")
    assert (result.new[ATTEMPT], result.known[ATTEMPT], result.renumbered) == (1, 1, False)


def test_attempts_stay_with_their_session(tmp_path: Path) -> None:
    here = filled(tmp_path / "here", {SESSION: [session(1), session(2)]})
    there = filled(
        tmp_path / "there",
        {SESSION: [session(2), session(3)], ATTEMPT: [attempt(2, session=1), attempt(3, session=2)]},
    )
    export_to(there.database, tmp_path / "file")
    imported(here, tmp_path / "file")
    assert [each.session for each in here.attempts.of()] == [2, 3]
    assert here.sessions.of("drill")[2].started == START + timedelta(minutes=3)


@pytest.mark.parametrize(
    "here, there, left", [("running", "passed", "passed"), ("passed", "running", "passed"), ("running",) * 3]
)
def test_a_session_that_went_on_is_the_same_one(tmp_path: Path, here: str, there: str, left: str) -> None:
    progress = filled(tmp_path / "here", {SESSION: [session(1, here, 5.0)]})
    other = filled(tmp_path / "there", {SESSION: [session(1, there, 9.0)]})
    export_to(other.database, tmp_path / "file")
    assert not imported(progress, tmp_path / "file").new
    (found,) = progress.sessions.of("drill")
    assert found.status == left
    assert found.elapsed == (9.0 if here != left else 5.0)


def test_sources_come_back_byte_for_byte(tmp_path: Path) -> None:
    contents = [b"x = 1\r\n", "é\u2028\n".encode(), b"\xff\x00", b""]
    progress = filled(
        tmp_path / "a", {ATTEMPT: [attempt(source=hash_of(each)) for each in contents]}, contents
    )
    lines = exported(progress, tmp_path / "file")
    assert sum('"text": ' in line for line in lines) == 3 and sum('"base64": ' in line for line in lines) == 1
    other = progress_in(tmp_path / "b")
    imported(other, tmp_path / "file")
    for content in contents:
        assert other.attempts.source(hash_of(content)) == content


def test_former_names_become_those_of_today(tmp_path: Path) -> None:
    names = {"old": "softmax"}
    there = filled(
        tmp_path / "there",
        {
            SESSION: [{**session(), "topics": '["old", "gqa"]', "details": '{"shown": "old"}'}],
            ATTEMPT: [attempt(0, "old"), attempt(1, "older")],
            HELP: [{"topic": "old", "at": at(0), "level": 1}],
            REVIEW: [review(0, "old"), review(1, "old/0123456789ab"), review(2, "older/0123456789ab")],
        },
    )
    export_to(there.database, tmp_path / "file")
    here = progress_in(tmp_path / "here")
    new = import_from(here.database, tmp_path / "file", names).new
    assert [each.topic for each in here.attempts.of()] == ["softmax", "older"]
    assert here.attempts.hints_taken("softmax") == 1
    assert list(here.reviews.cards()) == ["softmax", "softmax/0123456789ab", "older/0123456789ab"]
    (found,) = here.sessions.of("drill")
    assert (found.topics, found.details) == (("softmax", "gqa"), {"shown": "softmax"})
    again = import_from(here.database, tmp_path / "file", names)
    assert not again.new and again.known == new
