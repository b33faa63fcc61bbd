"""The file that holds a learner's progress: `.practice/progress.db`, SQLite in WAL mode.

Several terminals, a notebook and a watcher may write at once; a process that is killed in the middle of a
write leaves the database as it was before. A damaged file is set aside under another name, never thrown away.
"""

import contextlib
import fcntl
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from grader.practice.command_line import newer_version
from grader.practice.record.unavailable import ProgressUnavailable

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]

BUSY_SECONDS = 20.0
"""How long a writer waits for another one."""

MIGRATIONS = [
    """
    CREATE TABLE sources (
        hash TEXT PRIMARY KEY,           -- SHA-256 of the bytes
        content BLOB NOT NULL
    );

    -- A verdict, or (outcome NULL) an answer that was set aside ungraded. Times are UTC, ISO 8601.
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        topic TEXT NOT NULL,
        mode TEXT NOT NULL,              -- check, watch, drill, mock, notebook, saved
        started TEXT NOT NULL,
        seconds REAL,                    -- worked at the answer; NULL where nobody took the time
        outcome TEXT,
        passed INTEGER NOT NULL,         -- checks
        checks INTEGER NOT NULL,
        mistake TEXT,
        hints INTEGER NOT NULL,
        solution_seen INTEGER NOT NULL,
        source TEXT REFERENCES sources (hash),
        session INTEGER REFERENCES sessions (id)
    );
    CREATE INDEX attempts_of_topics ON attempts (topic, outcome, seconds);

    -- Hints (level 1 to 3) and solutions (level NULL) that were shown.
    CREATE TABLE helps (
        id INTEGER PRIMARY KEY,
        topic TEXT NOT NULL,
        at TEXT NOT NULL,
        level INTEGER
    );
    CREATE INDEX helps_of_topics ON helps (topic, at);

    -- The last review of a card is its place in the schedule.
    CREATE TABLE reviews (
        id INTEGER PRIMARY KEY,
        card TEXT NOT NULL,              -- a topic, or topic/hash of a question
        at TEXT NOT NULL,
        rating INTEGER NOT NULL,         -- 1 again, 2 hard, 3 good, 4 easy
        level TEXT NOT NULL,             -- of recall: blanks, stub, empty
        next_level TEXT NOT NULL,
        stability REAL NOT NULL,         -- days until it is remembered with a probability of 0.9
        difficulty REAL NOT NULL,
        due TEXT NOT NULL
    );
    CREATE INDEX reviews_of_cards ON reviews (card);

    -- A drill or a mock interview.
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,              -- drill, mock
        started TEXT NOT NULL,
        topics TEXT NOT NULL,            -- JSON list
        budget REAL NOT NULL,            -- seconds
        elapsed REAL NOT NULL,           -- seconds, without pauses
        status TEXT NOT NULL,            -- running, or how it ended
        details TEXT NOT NULL            -- JSON object
    );
    """,
    """
    -- Reviews that were taken back. They stay, so that an older export does not bring them in again.
    CREATE TABLE undos (
        id INTEGER PRIMARY KEY,
        card TEXT NOT NULL,
        at TEXT NOT NULL,                -- of the review
        undone TEXT NOT NULL
    );
    CREATE INDEX undos_of_reviews ON undos (card, at);

    CREATE VIEW standing_reviews AS
    SELECT * FROM reviews
    WHERE NOT EXISTS (SELECT 1 FROM undos WHERE undos.card = reviews.card AND undos.at = reviews.at);
    """,
    """
    -- What the learner decided: the latest row of a name, or of a topic, counts.
    CREATE TABLE settings (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,              -- interview: a day; limit: topics a day; track: its id
        at TEXT NOT NULL,
        value TEXT                       -- NULL: none
    );
    CREATE TABLE suspensions (
        id INTEGER PRIMARY KEY,
        topic TEXT NOT NULL,
        at TEXT NOT NULL,
        is_suspended INTEGER NOT NULL    -- 0: it came back
    );
    """,
    """
    -- When an exercise was last seen blank: a pass without a clock took from there on.
    CREATE TABLE blanks (
        topic TEXT PRIMARY KEY,
        at TEXT NOT NULL
    );
    DROP INDEX attempts_of_topics;
    CREATE INDEX attempts_of_topics ON attempts (topic, outcome, mode, seconds);
    """,
]
"""Each brings the schema one version further: `PRAGMA user_version` counts those that were applied."""


class Database:
    """Transactions on one file. What does not exist yet is read as empty, and made by the first write.

    Each transaction opens the file anew (under a millisecond), so it does not matter what other processes did
    to it meanwhile. `told` gets a sentence when a damaged file was set aside.
    """

    def __init__(self, path: Path, told: Callable[[str], None]) -> None:
        self._path = path
        self._told = told

    def read(self, work: Work[Result]) -> Result:
        """What `work` finds. It sees one state of the database throughout."""
        return self._do(work, writing=False)

    def write(self, work: Work[Result]) -> Result:
        """Do all of `work`, or nothing of it. Work that meets a damaged file is done again in a new one."""
        return self._do(work, writing=True)

    def _do(self, work: Work[Result], writing: bool) -> Result:
        try:
            try:
                return self._transaction(work, writing)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                aside = _set_aside(self._path)
                if aside is not None:
                    self._told(f"{self._path} is damaged ({error}). It is set aside as {aside}.")
                return self._transaction(work, writing)
        except sqlite3.IntegrityError:
            raise  # a fault of ours
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            raise ProgressUnavailable(f"{self._path} cannot be used: {error}.") from error
        except OSError as error:
            raise ProgressUnavailable(f"{self._path} cannot be used: {error.strerror or error}.") from error

    def _transaction(self, work: Work[Result], writing: bool) -> Result:
        with contextlib.closing(self._open(writing)) as connection:
            connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
            result = work(connection)
            connection.execute("COMMIT")  # without it, closing rolls back
            return result

    def _open(self, writing: bool) -> sqlite3.Connection:
        if writing:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        elif not self._path.exists():
            return _migrated(_connect(":memory:"))
        connection = _connect(str(self._path)) if writing else _connect_to_read(self._path)
        try:
            version = _version(connection)
            if version > len(MIGRATIONS):
                raise ProgressUnavailable(
                    f"{self._path} was written by a newer byheart (schema {version}, this one knows "
                    f"{len(MIGRATIONS)}). Bring this one up to date: {newer_version()}"
                )
            if version < len(MIGRATIONS):
                with _alone(self._path), contextlib.closing(_connect(str(self._path))) as writer:
                    _migrated(writer)
            return connection
        except BaseException:
            connection.close()
            raise


def _migrated(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection, with its schema brought up to date; nobody else does the same meanwhile."""
    connection.execute("PRAGMA journal_mode = WAL")
    for number in range(_version(connection), len(MIGRATIONS)):
        version = f"PRAGMA user_version = {number + 1}"
        connection.executescript(f"BEGIN IMMEDIATE; {MIGRATIONS[number]}; {version}; COMMIT")
    return connection


def _connect(name: str, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=uri)
    connection.row_factory = sqlite3.Row
    return connection


def _connect_to_read(path: Path) -> sqlite3.Connection:
    """Without write access to the folder, WAL does not work: then the file is read as it is."""
    address = path.absolute().as_uri()
    connection = _connect(f"{address}?mode=ro", uri=True)
    try:
        _version(connection)
    except sqlite3.OperationalError:
        connection.close()
        connection = _connect(f"{address}?immutable=1", uri=True)
    return connection


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    # The pragma alone looks at no more than the header of the file.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return int(version)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time; the lock goes with the process."""
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _set_aside(path: Path) -> str | None:
    """Rename a damaged file with its journal, and give its new name; None if another process just did."""
    with _alone(path):
        if not _is_damaged(path):
            return None
        aside = path.with_stem(f"{path.stem}.damaged-{datetime.now(UTC):%Y-%m-%dT%H%M%S.%fZ}")
        for suffix in ("-wal", "-shm", ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.rename(aside.with_name(aside.name + suffix))
        return aside.name


def _is_damaged(path: Path) -> bool:
    if not path.exists():
        return False
    with contextlib.closing(_connect(str(path))) as connection:
        try:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
        except sqlite3.DatabaseError as error:
            return _is_damage(error)


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # above it stands which kind of damage
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
