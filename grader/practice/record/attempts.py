"""What was graded: every verdict with the source it was about, and the help that was taken on the way."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from grader.curriculum.topic import topic_in
from grader.judge.verdict import Outcome, Verdict
from grader.practice.record import clock
from grader.practice.record.database import Database

MAX_SOURCE = 2**20
"""Bytes of a file that are kept; nobody writes more, and a log file by mistake should not fill the disk."""

HELP_LASTS = timedelta(hours=12)
"""What was seen yesterday has to be remembered today, like everything else."""

SAVED = "saved"
"""The mode of what was set aside ungraded."""

UPDATE = "update"
"""The mode of a copy that was taken ungraded before an update: the answer stays in its exercise."""


@dataclass(frozen=True)
class Attempt:
    """A recorded verdict; or, with the mode "saved" or "update" and no outcome, an answer kept ungraded."""

    id: int
    topic: str  # or a part of one, such as "mla.decode"
    mode: str  # check, watch, drill, mock, notebook, saved or update
    started: datetime
    seconds: float | None  # worked at the answer; None where nobody took the time
    outcome: Outcome | None
    passed: int  # checks
    checks: int
    mistake: str | None
    hints: int  # levels of hints taken
    solution_seen: bool
    source: str | None  # its hash
    session: int | None  # the drill or mock interview


LONGEST_WORK = timedelta(hours=3)
"""From a blank exercise to a pass without a clock: of a longer time nobody knows how much was work."""

TIMED = ("drill", "mock")
"""The modes on the clock."""


@dataclass(frozen=True)
class Summary:
    """All attempts at a topic in short."""

    last: Outcome
    has_passed: bool
    best_seconds: float | None
    is_best_untimed: bool = False  # it took so long from a blank exercise, but without a clock


class Attempts:
    """The attempts of a learner, each with its source."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(
        self,
        verdict: Verdict,
        mode: str,
        started: datetime,
        source: bytes | None,
        *,
        seconds: float | None = None,
        session: int | None = None,
        since: datetime | None = None,
    ) -> Attempt:
        """Keep a verdict on `source`. The help taken counts from `since` on; by default from the last
        pass, as long as help lasts.
        """
        attempt = Attempt(
            id=0,
            topic=verdict.topic,
            mode=mode,
            started=started,
            seconds=seconds,
            outcome=verdict.outcome,
            passed=sum(check.outcome is Outcome.PASSED for check in verdict.checks),
            checks=len(verdict.checks),
            mistake=verdict.diagnosis.mistake if verdict.diagnosis else None,
            hints=0,
            solution_seen=False,
            source=None,
            session=session,
        )
        return self._database.write(lambda connection: _insert(connection, attempt, source, since))

    def set_aside(self, topic: str, source: bytes) -> Attempt:
        """Keep an answer ungraded, before something else takes its place."""
        attempt = Attempt(0, topic, SAVED, clock.now(), None, None, 0, 0, None, 0, False, None, None)
        return self._database.write(lambda connection: _insert(connection, attempt, source, None))

    def keep(self, topic: str, source: bytes) -> str:
        """Keep a copy of an answer, unless it is kept for this topic already; gives its hash."""
        hash_ = _hash_of(source)
        attempt = Attempt(0, topic, UPDATE, clock.now(), None, None, 0, 0, None, 0, False, None, None)

        def work(connection: sqlite3.Connection) -> None:
            query = "SELECT 1 FROM attempts WHERE topic = ? AND source = ? LIMIT 1"
            if connection.execute(query, (topic, hash_)).fetchone() is None:
                _insert(connection, attempt, source, None)

        self._database.write(work)
        return hash_

    def of(self, topic: str | None = None, last: int = -1) -> list[Attempt]:
        """The attempts at a topic, or at all: the `last` ones, oldest first."""
        rows = self._database.read(
            lambda connection: connection.execute(
                "SELECT * FROM attempts WHERE topic = ? OR ? IS NULL ORDER BY id DESC LIMIT ?",
                (topic, topic, last),
            ).fetchall()
        )
        return [_attempt(row) for row in reversed(rows)]

    def source(self, hash_: str) -> bytes:
        """What stood in the file that was graded. Raises KeyError."""
        query = "SELECT content FROM sources WHERE hash = ?"
        row = self._database.read(lambda connection: connection.execute(query, (hash_,)).fetchone())
        if row is None:
            raise KeyError(hash_)
        return bytes(row["content"])

    def summaries(self) -> dict[str, Summary]:
        """Of each topic with a verdict on something that was written. One pass over an index, so that
        it stays fast over the years.
        """
        query = (
            "SELECT topic, outcome, max(id) AS latest, min(seconds) AS best, "
            "min(seconds) FILTER (WHERE mode IN (?, ?)) AS timed FROM attempts "
            "WHERE outcome IS NOT NULL AND outcome != 'not_started' GROUP BY topic, outcome"
        )
        rows = self._database.read(lambda connection: connection.execute(query, TIMED).fetchall())
        by_topic: dict[str, list[sqlite3.Row]] = {}
        for row in rows:
            by_topic.setdefault(row["topic"], []).append(row)
        return {topic: _summary(of_topic) for topic, of_topic in by_topic.items()}

    def note_blank(self, topic: str) -> None:
        """Remember that the exercise is blank now."""
        row = (topic, clock.written(clock.now()))
        self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO blanks VALUES (?, ?)", row)
        )

    def seconds_since_blank(self, topic: str, moment: datetime) -> float | None:
        """How long before the moment the exercise was blank; None where it was passed since, or where it is
        too long ago to tell how much of the time was work.
        """

        def work(connection: sqlite3.Connection) -> float | None:
            row = connection.execute("SELECT at FROM blanks WHERE topic = ?", (topic,)).fetchone()
            if row is None or (blank := clock.read(row["at"])) <= _last_pass(connection, topic):
                return None
            worked = moment - blank
            return worked.total_seconds() if timedelta(0) < worked <= LONGEST_WORK else None

        return self._database.read(work)

    def is_afresh(self, topic: str) -> bool:
        """Whether an answer was set aside since the topic was last passed."""
        query = (
            "SELECT coalesce(max(id) FILTER (WHERE mode = ?), 0) > "
            "coalesce(max(id) FILTER (WHERE outcome = 'passed'), 0) FROM attempts WHERE topic = ?"
        )
        (afresh,) = self._database.read(
            lambda connection: connection.execute(query, (SAVED, topic)).fetchone()
        )
        return bool(afresh)

    def note_help(self, topic: str, level: int | None) -> None:
        """Remember that a hint was shown, or (None) the solution."""
        self._database.write(
            lambda connection: connection.execute(
                "INSERT INTO helps (topic, at, level) VALUES (?, ?, ?)",
                (topic, clock.written(clock.now()), level),
            )
        )

    def hints_taken(self, topic: str) -> int:
        """The highest hint taken since the topic was last passed (0: none)."""
        return self._database.read(
            lambda connection: _help_taken(connection, topic, _last_pass(connection, topic))[0]
        )


def readable_source(path: Path) -> bytes | None:
    """What stands in the file, to be kept with its verdict; None where there is nothing to keep."""
    try:
        if not path.is_file() or path.stat().st_size > MAX_SOURCE:
            return None
        return path.read_bytes()
    except OSError:
        return None


def _hash_of(source: bytes) -> str:
    import hashlib  # 3 ms, and the list needs none

    return hashlib.sha256(source).hexdigest()


def _insert(
    connection: sqlite3.Connection, attempt: Attempt, source: bytes | None, since: datetime | None
) -> Attempt:
    hash_ = None
    if source is not None:
        hash_ = _hash_of(source)
        connection.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (hash_, source))
    if since is None:
        since = max(_last_pass(connection, attempt.topic), attempt.started - HELP_LASTS)
    hints, solution_seen = _help_taken(connection, topic_in(attempt.topic), since)
    cursor = connection.execute(
        "INSERT INTO attempts (topic, mode, started, seconds, outcome, passed, checks, mistake, hints, "
        "solution_seen, source, session) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
        (
            attempt.topic,
            attempt.mode,
            clock.written(attempt.started),
            attempt.seconds,
            attempt.outcome,
            attempt.passed,
            attempt.checks,
            attempt.mistake,
            hints,
            solution_seen,
            hash_,
            attempt.session,
        ),
    )
    return _attempt(cursor.fetchone())


def _help_taken(connection: sqlite3.Connection, topic: str, since: datetime) -> tuple[int, bool]:
    query = "SELECT max(level), coalesce(max(level IS NULL), 0) FROM helps WHERE topic = ? AND at >= ?"
    highest, seen = connection.execute(query, (topic, clock.written(since))).fetchone()
    return highest or 0, bool(seen)


def _last_pass(connection: sqlite3.Connection, topic: str) -> datetime:
    query = "SELECT max(started) FROM attempts WHERE topic = ? AND outcome = 'passed'"
    (text,) = connection.execute(query, (topic,)).fetchone()
    return clock.read(text) if text else clock.EARLIEST


def _attempt(row: sqlite3.Row) -> Attempt:
    values = dict(row)
    values["started"] = clock.read(values["started"])
    values["outcome"] = values["outcome"] and Outcome(values["outcome"])
    values["solution_seen"] = bool(values["solution_seen"])
    return Attempt(**values)


def _summary(rows: list[sqlite3.Row]) -> Summary:
    last = max(rows, key=lambda row: int(row["latest"]))
    passed = next((row for row in rows if row["outcome"] == Outcome.PASSED), None)
    if passed is None:
        return Summary(Outcome(last["outcome"]), False, None)
    is_untimed = passed["best"] != passed["timed"]
    return Summary(Outcome(last["outcome"]), True, passed["best"], is_untimed)
