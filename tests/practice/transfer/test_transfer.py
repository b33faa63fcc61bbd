"""Taking progress elsewhere: what is exported and imported is the same, once, and in order."""

import hashlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pexpect
import pytest
from driving import PROJECT, byheart, command, progress_in
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.verdict import Outcome
from grader.practice.plan.schedule import Level, Rating
from grader.practice.record import clock
from grader.practice.record.progress import Progress
from grader.practice.transfer.exporting import ExportFailed, export_to
from grader.practice.transfer.format import ATTEMPT, HELP, RECORDS, REVIEW, SESSION, SETTING, SUSPENSION, UNDO
from grader.practice.transfer.importing import Imported, ImportRefused, import_from

Rows = dict[str, list[dict[str, Any]]]

START = datetime(2026, 11, 20, 12, 0, tzinfo=clock.EARLIEST.tzinfo)


def filled(root: Path, rows: Rows, sources: list[bytes] | None = None) -> Progress:
    """Progress with these rows, in their order. The session of an attempt is a number, the first is 1."""
    progress = progress_in(root)

    def work(connection: sqlite3.Connection) -> None:
        for content in sources or []:
            connection.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (hash_of(content), content))
        for kind, records in rows.items():
            for record in records:
                names = ", ".join(record)
                marks = ", ".join("?" * len(record))
                connection.execute(f"INSERT INTO {kind}s ({names}) VALUES ({marks})", tuple(record.values()))

    progress.database.write(work)
    return progress


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def at(minutes: float) -> str:
    return clock.written(START + timedelta(minutes=minutes))


def attempt(minutes: float = 0, topic: str = "softmax", **more: Any) -> dict[str, Any]:
    return {
        "topic": topic,
        "mode": "check",
        "started": at(minutes),
        "seconds": None,
        "outcome": "passed",
        "passed": 1,
        "checks": 2,
        "mistake": None,
        "hints": 0,
        "solution_seen": 0,
        "source": None,
        "session": None,
        **more,
    }


def review(minutes: float = 0, card: str = "softmax", rating: int = 3) -> dict[str, Any]:
    return {
        "card": card,
        "at": at(minutes),
        "rating": rating,
        "level": "stub",
        "next_level": "empty",
        "stability": 2.5,
        "difficulty": 5.0,
        "due": at(minutes + 3000),
    }


def session(minutes: float = 0, status: str = "passed", elapsed: float = 5.0) -> dict[str, Any]:
    return {
        "kind": "drill",
        "started": at(minutes),
        "topics": '["softmax"]',
        "budget": 480.0,
        "elapsed": elapsed,
        "status": status,
        "details": "{}",
    }


def exported(progress: Progress, path: Path) -> list[str]:
    export_to(progress.database, path)
    return path.read_text(encoding="utf-8").splitlines()


def imported(progress: Progress, path: Path) -> Imported:
    return import_from(progress.database, path)


# Round trips, over whatever a database may hold


moments = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(
    lambda moment: clock.written(moment.replace(tzinfo=clock.EARLIEST.tzinfo))
)
few_moments = st.sampled_from([at(0), at(1), at(2)]) | moments
words = st.sampled_from(["softmax", "gqa", "été", "softmax/0123456789ab"])
numbers = st.floats(0, 1e6)
counts = st.integers(0, 99)
contents = st.lists(st.binary(max_size=20) | st.text(max_size=20).map(str.encode), max_size=4)
details = st.dictionaries(st.text(max_size=5), st.none() | st.text(max_size=5) | numbers, max_size=3)
sessions = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["drill", "mock"]),
        "started": few_moments,
        "topics": st.lists(words, max_size=3).map(json.dumps),
        "budget": numbers,
        "elapsed": numbers,
        "status": st.sampled_from(["running", "passed", "dropped"]),
        "details": details.map(json.dumps),
    }
)
helps = st.fixed_dictionaries({"topic": words, "at": few_moments, "level": st.none() | st.integers(1, 3)})
reviews = st.fixed_dictionaries(
    {
        "card": words,
        "at": few_moments,
        "rating": st.sampled_from([int(rating) for rating in Rating]),
        "level": st.sampled_from([level.value for level in Level]),
        "next_level": st.sampled_from([level.value for level in Level]),
        "stability": st.floats(0.01, 1e4),
        "difficulty": st.floats(1, 10),
        "due": moments,
    }
)

choices = st.fixed_dictionaries({"name": words, "at": few_moments, "value": st.none() | words})
suspensions = st.fixed_dictionaries(
    {"topic": words, "at": few_moments, "is_suspended": st.sampled_from([0, 1])}
)
undos = st.fixed_dictionaries({"card": words, "at": few_moments, "undone": moments})


@st.composite
def projects(draw: Callable[[Any], Any]) -> tuple[Rows, list[bytes]]:
    sources, held = draw(contents), draw(st.lists(sessions, max_size=3))
    attempts = st.fixed_dictionaries(
        {
            "topic": words,
            "mode": st.sampled_from(["check", "drill", "saved"]),
            "started": few_moments,
            "seconds": st.none() | numbers,
            "outcome": st.none() | st.sampled_from([outcome.value for outcome in Outcome]),
            "passed": counts,
            "checks": counts,
            "mistake": st.none() | words,
            "hints": counts,
            "solution_seen": st.sampled_from([0, 1]),
            "source": st.sampled_from([None, *map(hash_of, sources)]),
            "session": st.sampled_from([None, *range(1, len(held) + 1)]),
        }
    )
    rows = {
        SESSION: held,
        ATTEMPT: draw(st.lists(attempts, max_size=5)),
        HELP: draw(st.lists(helps, max_size=4)),
        REVIEW: draw(st.lists(reviews, max_size=5)),
        UNDO: draw(st.lists(undos, max_size=2)),
        SETTING: draw(st.lists(choices, max_size=2)),
        SUSPENSION: draw(st.lists(suspensions, max_size=2)),
    }
    # Identical rows are possible too, if the clock stands still.
    for kind in draw(st.sets(st.sampled_from([ATTEMPT, HELP, REVIEW]))):
        rows[kind] += rows[kind][:1]
    return rows, sources


@settings(deadline=None, max_examples=60)
@given(projects())
def test_export_then_import_is_identity(project: tuple[Rows, list[bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        first = filled(root / "a", *project)
        second = progress_in(root / "b")
        lines = exported(first, root / "first")
        result = imported(second, root / "first")
        assert exported(second, root / "second") == lines
        assert not result.known and not result.renumbered
        assert result.new == {kind: len(rows) for kind, rows in project[0].items() if rows}
        for target in (first, second):
            again = imported(target, root / "first")
            assert not again.new and again.known == result.new and not again.renumbered
            assert exported(target, root / "again") == lines


@settings(deadline=None, max_examples=30)
@given(projects(), projects())
def test_merging_keeps_everything_once_and_each_side_in_its_order(
    one: tuple[Rows, list[bytes]], other: tuple[Rows, list[bytes]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        target, source = filled(root / "a", *one), filled(root / "b", *other)
        before, added = exported(target, root / "before"), exported(source, root / "added")
        imported(target, root / "added")
        merged = exported(target, root / "merged")
        assert is_part(without_numbers(before, REVIEW), without_numbers(merged, REVIEW))
        assert is_part(without_numbers(before, ATTEMPT), without_numbers(merged, ATTEMPT))
        for line in without_numbers(added, ATTEMPT) + without_numbers(added, REVIEW):
            assert line in without_numbers(merged, ATTEMPT) + without_numbers(merged, REVIEW)
        assert not imported(target, root / "added").new
        assert exported(target, root / "again") == merged


def without_numbers(lines: list[str], kind: str) -> list[str]:
    """The records of a kind; of attempts without the number of their session: a merge gives another."""
    records = [json.loads(line)[kind] for line in lines if line.startswith(f'{{"{kind}": ')]
    return [json.dumps({**record, "session": None}) for record in records]


def is_part(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


# Merging


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


# What is refused


EMPTY = '{"byheart": 2}\n{"end": 1}\n'


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
        ('{"diary": {}}', "'diary' is no kind of record"),
        ('{"help": []}', "the fields of a help must be topic, at, level"),
        ('{"help": {"topic": "gqa"}}', "the fields of a help must be topic, at, level"),
        (changed(HELP, {"topic": "gqa", "at": at(0), "level": 1}, more=1), "the fields of a help must be"),
        (changed(ATTEMPT, ATTEMPT_LINE, outcome="great"), "outcome: 'great' is not a valid Outcome"),
        (changed(ATTEMPT, ATTEMPT_LINE, topic="a\x1b[31m"), "topic: must be a text, on one line"),
        (changed(ATTEMPT, ATTEMPT_LINE, topic="\ud800"), "topic: must be a text"),
        (changed(ATTEMPT, ATTEMPT_LINE, seconds=-1), "seconds: must be a number"),
        (changed(ATTEMPT, ATTEMPT_LINE, seconds=float("nan")), "NaN is no number"),
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


# Size


MEMORY = """
import resource, sys
from pathlib import Path
from grader.curriculum.workspace import Workspace
from grader.practice.transfer.exporting import export_to
from grader.practice.transfer.importing import import_from
from grader.practice.record.progress import open_progress
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
export_to(open_progress(Workspace(Path("a"))).database, Path("file"))
import_from(open_progress(Workspace(Path("b"))).database, Path("file"))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_it_is_streamed(tmp_path: Path) -> None:
    contents = [os.urandom(2**20) for _ in range(60)]
    rows = [attempt(number, source=hash_of(contents[number % 60])) for number in range(20_000)]
    filled(tmp_path / "a", {ATTEMPT: rows}, contents)
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        [sys.executable, "-c", MEMORY],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.stderr == ""
    assert (tmp_path / "file").stat().st_size > 80 * 2**20
    assert int(done.stdout) < 60  # MiB


# The commands


def test_export_and_import(project: Path) -> None:
    filled(project, {SESSION: [session()], ATTEMPT: [attempt(), attempt(1)], REVIEW: [review()]})
    done = byheart(project, "export", "progress.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Exported 2 attempts, 1 review, 1 session to progress.jsonl.\n"
    piped = byheart(project, "export")
    assert piped.stdout == (project / "progress.jsonl").read_text(encoding="utf-8")
    assert piped.stderr == "Exported 2 attempts, 1 review, 1 session.\n"
    shutil.rmtree(project / ".practice")
    done = byheart(project, "import", "progress.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Imported 2 attempts, 1 review, 1 session. Already there: nothing.\n"
    done = byheart(project, "import", "progress.jsonl")
    assert done.stdout == "Imported nothing. Already there: 2 attempts, 1 review, 1 session.\n"
    assert byheart(project, "export").stdout == piped.stdout


def test_import_says_that_numbers_are_new(project: Path) -> None:
    filled(project, {ATTEMPT: [attempt(0)]})
    assert byheart(project, "export", "progress.jsonl").returncode == 0
    shutil.rmtree(project / ".practice")
    filled(project, {ATTEMPT: [attempt(1)]})
    done = byheart(project, "import", "progress.jsonl")
    assert done.stdout.endswith("\nAttempts are numbered anew, in order of time: make history\n")


def test_export_of_nothing_writes_no_progress(project: Path) -> None:
    done = byheart(project, "export")
    assert (done.returncode, done.stdout, done.stderr) == (0, EMPTY, "Exported nothing.\n")
    assert not (project / ".practice").exists()


@pytest.mark.parametrize("content", [None, "nonsense", '{"byheart": 1}\nnonsense', '{"byheart": 3}'])
def test_a_refused_import_is_one_sentence(project: Path, content: str | None) -> None:
    if content is not None:
        (project / "file").write_text(content, encoding="utf-8")
    done = byheart(project, "import", "file")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("file") and len(done.stderr.splitlines()) == 1


def test_an_export_that_cannot_be_written_is_one_sentence(project: Path) -> None:
    done = byheart(project, "export", "missing/file")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "missing/file cannot be written: No such file or directory\n"


def test_export_replaces_an_older_one_at_once(project: Path) -> None:
    path = project / "progress.jsonl"
    path.write_text("old", encoding="utf-8")
    assert byheart(project, "export", "progress.jsonl").returncode == 0
    assert path.read_text(encoding="utf-8") == EMPTY
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    assert [each.name for each in project.iterdir() if each.name.startswith(".")] == []


def test_what_is_exported_can_be_read_by_anything(tmp_path: Path) -> None:
    progress = filled(
        tmp_path, {SESSION: [session()], ATTEMPT: [attempt(session=1)], HELP: [], REVIEW: [review()]}
    )
    records = [json.loads(line) for line in exported(progress, tmp_path / "file")]
    assert [next(iter(record)) for record in records] == ["byheart", SESSION, ATTEMPT, REVIEW, "end"]
    assert records[1][SESSION]["topics"] == ["softmax"] and records[1][SESSION]["details"] == {}
    assert records[2][ATTEMPT]["solution_seen"] is False and records[2][ATTEMPT]["session"] == 1


def test_the_format_knows_every_column(tmp_path: Path) -> None:
    """A column that is added to the database has to be exported, too; but not since when an exercise has been
    worked at: that goes on here.
    """
    filled(tmp_path, {})
    with closing(sqlite3.connect(tmp_path / ".practice" / "progress.db")) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == {"sources", "blanks", *(f"{kind}s" for kind in RECORDS)}
        for kind, fields in RECORDS.items():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({kind}s)")]
            assert columns == ["id", *fields]


def test_export_at_a_terminal_writes_a_new_file_each_time(project: Path) -> None:
    python, *arguments = command("export")
    for _ in range(2):
        terminal = pexpect.spawn(python, arguments, cwd=project, encoding="utf-8", timeout=60)
        said = terminal.read()
        assert "Exported nothing to byheart-" in said and '{"byheart"' not in said
        terminal.close()
        assert terminal.exitstatus == 0
    first, second = sorted(project.glob("byheart-*.jsonl"), key=lambda path: len(path.name))
    assert second.stem == f"{first.stem}-2"
    assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8") == EMPTY
