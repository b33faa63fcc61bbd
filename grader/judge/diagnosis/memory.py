"""Evidence that is kept: what a mistaken version gives in a check is the same every time, because inputs are
seeded.

It is kept in memory while a judge lives, and in a file for each topic in the user's cache folder. A file is
named for the content of all that decides about its evidence, so another version never reads it. What is new
is appended, each record with its digest. Whatever happens to a file (deleted, damaged, two writers, no space)
costs time and nothing else.
"""

import contextlib
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgpack

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.files import replace_content
from grader.judge.diagnosis.evidence import CaseEvidence, Ending, Evidence, EvidenceToTheEnd
from grader.judge.diagnosis.fingerprint import fingerprint
from grader.judge.diagnosis.folder import evidence_folder
from grader.judge.verdict import Outcome
from grader.kit.counts import Counts
from grader.kit.handles import Instance
from grader.worker import wire
from grader.worker.unpacking import decode

MAX_FILE_BYTES = 16 * 2**20
"""Of a topic: beyond it, nothing more is kept on disk."""
MAX_FOLDER_BYTES = 256 * 2**20
"""Of all topics in all versions: beyond it, the files that were not used for longest go."""
Known = Evidence | EvidenceToTheEnd
K = TypeVar("K", Evidence, EvidenceToTheEnd)

_DIGEST_BYTES, _LENGTH_BYTES = 16, 4
_NOTE = " note"
"""Ends the name of what is no evidence, whose names end with its kind."""


def memory_of(topic: Topic) -> "Memory":
    """The memory of a topic as it is now, the same one in this process until a file that decides changes."""
    return _memory(topic.id, fingerprint(topic))


@lru_cache(maxsize=256)
def _memory(topic_id: str, version: str) -> "Memory":
    return Memory(evidence_folder() / f"{topic_id}-{version}.evidence")


class Memory:
    """What versions of a solution, by the ids of their mistakes, gave in checks, by their names. `save`
    writes it into the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._packed, self._is_sound = _read(path)
        self._sets = {_set_in(key) for key in self._packed}
        self._known: dict[str, Known] = {}
        self._new: dict[str, bytes] = {}  # what is not in the file yet

    def get(self, mistakes: Iterable[str], check: str, kind: type[K]) -> K | None:
        """What is known, or None."""
        key = _key(mistakes, check, kind)
        if key not in self._known and key in self._packed:
            try:
                self._known[key] = _unpacked(self._packed[key], kind)
            except (ValueError, TypeError):  # the digest was right, so this is of another making
                del self._packed[key]
        known = self._known.get(key)
        return known if isinstance(known, kind) else None

    def has_any(self, mistakes: Iterable[str]) -> bool:
        """Whether anything is known of the version with these."""
        return _set(mistakes) in self._sets

    def put(self, mistakes: Iterable[str], check: str, known: Known) -> None:
        """Remember it."""
        key = _key(mistakes, check, type(known))
        self._sets.add(_set_in(key))
        self._known[key] = known
        if known.is_lasting:
            with contextlib.suppress(TypeError, wire.TooLarge):
                self._packed[key] = self._new[key] = _packed(known)

    def note(self, key: str) -> bytes | None:
        """What others keep beside the evidence, under a name of theirs: as they packed it, or None."""
        return self._packed.get(key + _NOTE)

    def put_note(self, key: str, data: bytes) -> None:
        """Remember it, while such notes leave half of the file to the evidence."""
        notes = sum(len(packed) for name, packed in self._packed.items() if name.endswith(_NOTE))
        if notes + len(data) <= MAX_FILE_BYTES // 2:
            self._packed[key + _NOTE] = self._new[key + _NOTE] = data

    def save(self) -> None:
        """Write what is new into the file, behind what others wrote meanwhile."""
        new, self._new = self._new, {}
        if not new:
            return
        with contextlib.suppress(OSError):
            if self._is_sound:
                _append(self.path, _records(new))
            elif len(records := _records(self._packed)) <= MAX_FILE_BYTES:
                replace_content(self.path, records)
                self._is_sound = True
            _make_room(self.path.parent)


def _key(mistakes: Iterable[str], check: str, kind: type[Known]) -> str:
    return f"{_set(mistakes)} {check} {kind.__name__}"


def _set(mistakes: Iterable[str]) -> str:
    return "+".join(sorted(mistakes))


def _set_in(key: str) -> str:
    return key.partition(" ")[0]


def _records(packed: dict[str, bytes]) -> bytes:
    """Each as its digest, its length and itself."""
    bodies = (msgpack.packb([key, data]) for key, data in packed.items())
    return b"".join(_digest(body) + len(body).to_bytes(_LENGTH_BYTES, "little") + body for body in bodies)


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest()


def _append(path: Path, records: bytes) -> None:
    """Write records behind those that stand there, at once, so that two writers do not mix theirs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        if file.tell() + len(records) <= MAX_FILE_BYTES:
            file.write(records)


def _read(path: Path) -> tuple[dict[str, bytes], bool]:
    """What a file holds up to where it is damaged, and whether it is not: one that is missing is whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return {}, True
    found: dict[str, bytes] = {}
    start = 0
    while start < len(data):
        head = start + _DIGEST_BYTES + _LENGTH_BYTES
        end = head + int.from_bytes(data[start + _DIGEST_BYTES : head], "little")
        body = data[head:end]
        if end > len(data) or data[start : start + _DIGEST_BYTES] != _digest(body):
            return found, False
        key, found_data = msgpack.unpackb(body)
        found[key] = found_data
        start = end
    return found, True


def _make_room(folder: Path) -> None:
    files = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in folder.glob("*.evidence"))
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= MAX_FOLDER_BYTES:
            return
        path.unlink(missing_ok=True)
        total -= size


def _packed(known: Known) -> bytes:
    if isinstance(known, Evidence):
        return wire.encode([str(known.outcome), known.cases, _plain(known.came), known.exception])
    return wire.encode([[_plain(case.came), case.exception] for case in known.cases])


def _unpacked(data: bytes, kind: type[Known]) -> Known:
    values = decode(data)
    if kind is Evidence:
        outcome, cases, came, exception = values
        return Evidence(Outcome(outcome), cases, _living(came), _ending(exception))
    return EvidenceToTheEnd(tuple(CaseEvidence(_living(came), _ending(end)) for came, end in values))


def _plain(came: Iterable[list[Any] | None]) -> list[Any]:
    """What came with a form that travels for what has none of its own."""
    return [None if leaves is None else [_plain_leaf(leaf) for leaf in leaves] for leaves in came]


def _plain_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Instance):
        return wire.Ref(0, leaf.type_name)
    return [leaf.values] if isinstance(leaf, Counts) else leaf


def _living(came: list[Any]) -> tuple[Any, ...]:
    """What `_plain` made plain. An object of the worker stays a `Ref`, which knows its type's name; a list is
    no other leaf than `Counts`.
    """
    return tuple(
        None if leaves is None else [Counts(*leaf) if isinstance(leaf, list) else leaf for leaf in leaves]
        for leaves in came
    )


def _ending(exception: list[Any] | tuple[Any, ...] | None) -> Ending | None:
    return None if exception is None else (exception[0], exception[1])
