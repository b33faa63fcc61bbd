"""`results.jsonl`: rows as they come, each on the disk before the next; what is there already counts."""

import contextlib
import fcntl
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from grader.batch.results.row import BadRow, Row


class ResultsInUse(Exception):
    """Another run writes there; the message is a sentence."""


class ResultsUnusable(Exception):
    """They cannot be read or written; the message says why, in a sentence."""


class ResultsLog:
    """The results of a folder, or of one part of its submissions. A context manager: while it is open, no
    other run can have it.

    Rows stay on the disk: what is held of each is where it begins. Of rows about one student and topic the
    last one counts. A last line that was not written to its end (power, a full disk) is taken away.
    """

    def __init__(self, path: Path, begin_anew: bool = False) -> None:
        """`begin_anew`: what is there is kept, under another name. Raises `ResultsInUse` or
        `ResultsUnusable`.
        """
        self.path = path
        self.attempts: Counter[tuple[str, str]] = Counter()
        """How many contents of each student and topic were graded."""
        self._contents: dict[tuple[str | None, str, str], int] = {}
        self._owners: dict[tuple[str, str], int] = {}
        self._seen: set[tuple[str, str, str | None]] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise ResultsUnusable(f"{path} cannot be opened: {error.strerror}.") from None
        try:
            self._lock()
            if begin_anew and os.fstat(self._file).st_size:
                self._put_aside()
            self._end = os.fstat(self._file).st_size
            self._mend()
            self._read()
        except BaseException:
            os.close(self._file)
            raise

    def append(self, row: Row) -> None:
        """Write the row, whole or not at all. Raises `ResultsUnusable`."""
        line = row.to_line().encode()
        begin = self._end
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, begin)
            raise ResultsUnusable(f"{self.path} cannot be written: {error.strerror}.") from None
        self._end += len(line)
        self._note(row, begin)

    def same_content(self, row: Row) -> Row | None:
        """The row of a verdict on the same content, whoever handed it in; None where there is none."""
        if row.sha256 is None or row.content not in self._contents:
            return None
        return self._at(self._contents[row.content])

    def is_known(self, row: Row) -> bool:
        """Whether the last row about its student and topic says the same already, but for the verdict: that
        counts only where no content could be read.
        """
        if row.owner not in self._owners:
            return False
        last = self._at(self._owners[row.owner])
        same = (last.content, last.file) == (row.content, row.file) and last.fault is None
        return same and (row.sha256 is not None or last.verdict == row.verdict)

    def rows(self) -> Iterator[Row]:
        """The last row of each student and topic, in their order."""
        for owner in sorted(self._owners):
            yield self._at(self._owners[owner])

    def __len__(self) -> int:
        """How many rows those are."""
        return len(self._owners)

    def close(self) -> None:
        """Let others have it."""
        os.close(self._file)

    def __enter__(self) -> "ResultsLog":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResultsInUse(
                f"Another run writes {self.path}. Wait for it, or take another --out."
            ) from None

    def _put_aside(self) -> None:
        """Copied, not renamed: who waits for the lock has this file open."""
        number = 1
        while (aside := self.path.with_name(f"{self.path.stem}-before-{number}.jsonl")).exists():
            number += 1
        try:
            shutil.copyfile(self.path, aside)
            os.ftruncate(self._file, 0)
        except OSError as error:
            raise ResultsUnusable(f"{aside} cannot be written: {error.strerror}.") from None

    def _mend(self) -> None:
        """Take away what stands behind the last end of a line."""
        position = self._end
        tail = b""
        while position and b"\n" not in tail:
            position = max(0, position - 2**16)
            tail = os.pread(self._file, self._end - position, position)
        whole = position + tail.rfind(b"\n") + 1
        if whole != self._end:
            try:
                os.ftruncate(self._file, whole)
            except OSError as error:
                raise ResultsUnusable(f"{self.path} cannot be mended: {error.strerror}.") from None
            self._end = whole

    def _read(self) -> None:
        begin = 0
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            for number, line in enumerate(file, start=1):
                try:
                    self._note(Row.from_line(line), begin)
                except BadRow as error:
                    raise ResultsUnusable(
                        f"{self.path}, line {number} is not a result ({error}). Take that line out to "
                        "keep the others; --fresh begins anew."
                    ) from None
                begin += len(line)

    def _note(self, row: Row, begin: int) -> None:
        self._owners[row.owner] = begin
        if row.verdict is not None and row.sha256 is not None:
            self._contents[row.content] = begin
        if (seen := (*row.owner, row.sha256)) not in self._seen:
            self._seen.add(seen)
            self.attempts[row.owner] += 1

    def _at(self, begin: int) -> Row:
        line = b""
        while not line.endswith(b"\n"):
            part = os.pread(self._file, 2**16, begin + len(line))
            end = part.find(b"\n")
            line += part if end < 0 else part[: end + 1]
            if not part:
                raise ResultsUnusable(f"{self.path} was changed while it was read.")
        return Row.from_line(line)
