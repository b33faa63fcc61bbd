"""Evidence that is kept: what a mistaken version gives in a check is the same every time, because inputs are
seeded.

It is kept in memory while a judge lives, and in a file for each topic in the user's cache folder. A file is
named for the content of all that decides about its evidence, so another version never reads it. Whatever
happens to it (deleted, damaged, two writers, no space) costs time and nothing else.
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

_DIGEST_BYTES = hashlib.sha256().digest_size


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
        self._path = path
        self._packed = _read(path)
        self._known: dict[str, Known] = {}
        self._is_saved = True

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

    def put(self, mistakes: Iterable[str], check: str, known: Known) -> None:
        """Remember it."""
        key = _key(mistakes, check, type(known))
        self._known[key] = known
        if known.is_lasting:
            with contextlib.suppress(TypeError, wire.TooLarge):
                self._packed[key] = _packed(known)
                self._is_saved = False

    def save(self) -> None:
        """Write what is new into the file, beside what others wrote meanwhile."""
        if self._is_saved:
            return
        self._is_saved = True
        packed = _read(self._path) | self._packed
        payload = msgpack.packb(packed)
        if len(payload) > MAX_FILE_BYTES:
            return
        with contextlib.suppress(OSError):
            replace_content(self._path, hashlib.sha256(payload).digest() + payload)
            _make_room(self._path.parent)


def _key(mistakes: Iterable[str], check: str, kind: type[Known]) -> str:
    return f"{'+'.join(sorted(mistakes))} {check} {kind.__name__}"


def _read(path: Path) -> dict[str, bytes]:
    """What a file holds; nothing if it is missing or damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return {}
    digest, payload = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    if hashlib.sha256(payload).digest() != digest:
        return {}
    packed: dict[str, bytes] = msgpack.unpackb(payload)
    return packed


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
