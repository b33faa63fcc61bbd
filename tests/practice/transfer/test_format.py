"""What import refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from driving import progress_in
from practice.transfer.records import at, attempt, exported, filled, hash_of, imported, review, session

from grader.practice.schedule import Rating
from grader.practice.transfer.exporting import ExportFailed, export_to
from grader.practice.transfer.format import ATTEMPT, HELP, REVIEW, SESSION
from grader.practice.transfer.importing import ImportRefused


def refusal(tmp_path: Path, *lines: str | bytes) -> str:
    """What is said of a file of these lines; nothing of it may be imported."""
    progress = filled(tmp_path / "here", {ATTEMPT: [attempt(0)], REVIEW: [review(0)]})
    before = exported(progress, tmp_path / "before")
    path = tmp_path / "file"
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines))
    with pytest.raises(ImportRefused) as refused:
        imported(progress, path)
    assert exported(progress, tmp_path / "after") == before
    return str(refused.value).removeprefix(f"{path}")


def changed(kind: str, record: dict[str, Any], **changes: Any) -> str:
    return json.dumps({kind: {**record, **changes}})


ATTEMPT_LINE = {**attempt(5), "solution_seen": False}


@pytest.mark.parametrize(
    "line, told",
    [
        ("nonsense", "it is no JSON (Expecting value at column 1)"),
        ("", "it is no JSON"),
        ('{"review": {"card": "softmax", "at": "2026', "it is no JSON (Unterminated string"),  # cut off
        (b'{"help": "\xff"}', "it is no UTF-8"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[1]", "it is no JSON object"),
        ("{}", "it must hold one record"),
        ('{"attempt": {}, "review": {}}', "it must hold one record"),
        ('{"diary": {}}', "'diary' is not a kind of record"),
        ('{"help": []}', "the fields of a help must be topic, at, level"),
        ('{"help": {"topic": "gqa"}}', "the fields of a help must be topic, at, level"),
        (changed(HELP, {"topic": "gqa", "at": at(0), "level": 1}, more=1), "the fields of a help must be"),
        (changed(ATTEMPT, ATTEMPT_LINE, outcome="great"), "outcome: 'great' is not a valid Outcome"),
        (changed(ATTEMPT, ATTEMPT_LINE, topic="a\x1b[31m"), "topic: must be a text, on one line"),
        (changed(ATTEMPT, ATTEMPT_LINE, topic="\ud800"), "topic: must be a text"),
        (changed(ATTEMPT, ATTEMPT_LINE, seconds=-1), "seconds: must be a number"),
        (changed(ATTEMPT, ATTEMPT_LINE, seconds=float("nan")), "NaN is not a number"),
        (changed(ATTEMPT, ATTEMPT_LINE, seconds=10**400), "seconds: must be a number"),
        (changed(ATTEMPT, ATTEMPT_LINE, checks=2**70), "checks: must be a whole number"),
        (changed(ATTEMPT, ATTEMPT_LINE, checks=True), "checks: must be a whole number"),
        (changed(ATTEMPT, ATTEMPT_LINE, solution_seen=1), "solution_seen: must be true or false"),
        (changed(ATTEMPT, ATTEMPT_LINE, started="yesterday"), "started: "),
        (changed(ATTEMPT, ATTEMPT_LINE, started="0001-01-01T00:00:00.000000Z"), "started: must be a time"),
        (changed(ATTEMPT, ATTEMPT_LINE, source="0" * 64), "source: there is no source 000000000000… above"),
        (changed(ATTEMPT, ATTEMPT_LINE, session=1), "session: there is no session 1 above"),
        (changed(REVIEW, review(), rating=5), "rating: 5 is not a valid Rating"),
        (changed(REVIEW, review(), stability=0), "stability: must be more than 0"),
        (changed(SESSION, session()), "topics: must be a list of topics"),
        (changed("source", {"hash": hash_of(b"a"), "text": "b"}), "hash: must be the SHA-256 of the content"),
        (changed("source", {"hash": hash_of(b"a"), "base64": "!"}), ""),
        (changed("source", {"hash": hash_of(b"a")}), "the fields of a source must be"),
    ],
)
def test_a_broken_line_is_refused_with_its_number(tmp_path: Path, line: str | bytes, told: str) -> None:
    fine = changed(ATTEMPT, ATTEMPT_LINE)
    said = refusal(tmp_path, '{"byheart": 1}', fine, line, fine)
    assert said.startswith(f", line 3: {told}")
    assert said.endswith(". Nothing is imported.")


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_a_file_that_was_cut_off_between_two_lines_is_refused(tmp_path: Path, kept: int) -> None:
    progress = filled(tmp_path, {ATTEMPT: [attempt()], REVIEW: [review()]})
    lines = exported(progress, tmp_path / "whole")
    assert lines[-1] == '{"end": 3}' and len(lines) == 4
    assert refusal(tmp_path, *lines[:kept]) == (
        " is cut off: its last line does not say that it is. Nothing is imported."
    )


@pytest.mark.parametrize("below", ["{}", '{"end": 1}', '{"byheart": 1}'])
def test_nothing_may_stand_below_the_end(tmp_path: Path, below: str) -> None:
    said = refusal(tmp_path, '{"byheart": 1}', '{"end": 1}', below)
    assert said == ", line 3: it stands below the end. Nothing is imported."


@pytest.mark.parametrize("end", ['{"end": 2}', '{"end": null}', '{"end": 1, "more": 1}'])
def test_an_end_that_counts_other_lines_is_refused(tmp_path: Path, end: str) -> None:
    said = refusal(tmp_path, '{"byheart": 1}', end)
    assert said.startswith(", line 2: there are 1 lines above it, and it says something else")


def test_an_export_of_the_first_format_is_taken(tmp_path: Path) -> None:
    """It had no undos."""
    there = progress_in(tmp_path / "a")
    there.reviews.add("softmax", Rating.GOOD)
    exported(there, tmp_path / "file")
    text = (tmp_path / "file").read_text(encoding="utf-8")
    (tmp_path / "old").write_text(text.replace('{"byheart": 2}', '{"byheart": 1}'), encoding="utf-8")
    here = progress_in(tmp_path / "b")
    assert imported(here, tmp_path / "old").new == {REVIEW: 1}
    assert here.reviews.cards() == there.reviews.cards()


def test_what_was_taken_back_stays_so_wherever_it_goes(tmp_path: Path) -> None:
    there, here = progress_in(tmp_path / "a"), progress_in(tmp_path / "b")
    there.reviews.add("softmax", Rating.GOOD)
    exported(there, tmp_path / "before")
    there.reviews.undo(there.reviews.last())
    exported(there, tmp_path / "after")
    for file in ("before", "after", "before"):
        imported(here, tmp_path / file)
    imported(there, tmp_path / "before")
    assert here.reviews.all() == there.reviews.all() == []


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, '{"byheart": 3, "more": 1}', "whatever") == (
        " was written by a newer byheart (format 3, this one knows 2). Bring this one up to date: make update"
    )


@pytest.mark.parametrize(
    "first", ["", "# byheart", '{"attempt": {}}', '{"byheart": "1"}', '{"byheart": true}']
)
def test_another_file_is_refused(tmp_path: Path, first: str) -> None:
    assert refusal(tmp_path, first) == " is no export of byheart: its first line does not say so."


def test_a_file_that_cannot_be_read_makes_no_database(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(ImportRefused, match=r"cannot be read: .*\.$"):
            imported(progress_in(tmp_path), path)
    assert not (tmp_path / ".practice").exists()


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    progress = filled(tmp_path, {ATTEMPT: [attempt()]})
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(ExportFailed, match="Is a directory"):
        export_to(progress.database, folder)
    with pytest.raises(ExportFailed, match="No such file"):
        export_to(progress.database, tmp_path / "missing" / "file")
    assert sorted(each.name for each in tmp_path.iterdir()) == [".practice", "folder"]
