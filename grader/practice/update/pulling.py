"""Bringing a newer version: the half that the old version does. Answers that are in git's way go into the
database, out of the way, and back to their places as soon as git is done. The new version does the rest
(`grader.practice.update.migration`).
"""

import contextlib
import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from grader.curriculum.catalog import Catalog
from grader.curriculum.exercises.files import replace_content
from grader.practice.command_line import typed
from grader.practice.record.progress import Progress
from grader.practice.update.clone import CannotUpdate, Clone
from grader.practice.update.conflicts import conflicts, is_exercise, touched_exercises
from grader.practice.update.journal import (
    AT_WORK,
    IN_PLACE,
    Journal,
    end_journal,
    read_journal,
    write_journal,
)
from grader.practice.update.merging import merged
from grader.practice.update.migration import NEW_STUB


class Update:
    """An update of the project in `root`. `told` gets sentences about what the learner should look at."""

    def __init__(
        self, root: Path, clone: Clone, catalog: Catalog, progress: Progress, told: Callable[[str], None]
    ) -> None:
        self._root = root
        self._clone = clone
        self._catalog = catalog
        self._attempts = progress.attempts
        self._told = told

    def finish_earlier(self) -> bool:
        """Finish an update that was cut off, so that every answer is in its place. Gives whether the program
        itself changed by that.
        """
        journal = read_journal(self._root)
        if journal is None or journal.stage != AT_WORK:
            return False
        answers = self._answers(journal)
        is_half_done = self._is_half_done(journal)
        with _undisturbed():
            if is_half_done:
                later = self._written_since(journal)
                answers |= later
                journal = replace(journal, answers=journal.answers | self._kept(later))
                write_journal(self._root, journal)
                self._clone.force(journal.new)
            self._put_back(journal, answers)
        return is_half_done

    def bring(self) -> bool:
        """Bring the newest version; gives False if it is here already. Raises `CannotUpdate`."""
        new, old = self._clone.fetch(), self._clone.commit("HEAD")
        if self._clone.count(old, new) == 0:
            return False
        kept: tuple[str, ...] = ()
        newest = new
        if self._clone.count(new, old):  # commits of the learner's
            merge = merged(self._clone, old, new)
            new, kept = merge.commit, merge.kept
        touched = touched_exercises(self._root, self._clone, old, new)
        found = conflicts(self._root, self._clone, self._catalog, touched)
        self._kept(found.unaffected)  # nothing will happen to them, but who knows
        journal = Journal(old, new, self._kept(found.answers), found.blank)
        with _undisturbed():
            write_journal(self._root, journal)
            try:
                self._clear(found.contents)
                self._clone.forward(new)
            except CannotUpdate as problem:
                stopped = f"The update stopped: {problem}. Your answers are in place"
                raise CannotUpdate(f"{stopped}; when that is mended: make update") from None
            finally:
                self._put_back(journal, found.answers)
        self._put_beside(kept, newest)
        return True

    def _put_beside(self, paths: Collection[str], commit: str) -> None:
        """The new stubs of exercises whose answers are committed: these stay as they are."""
        for path in paths:
            stub = self._clone.content(commit, path)
            if stub is None or _content(self._root / path) is None:
                continue
            beside = (self._root / path).with_suffix(NEW_STUB)
            replace_content(beside, stub)
            file = beside.relative_to(self._root).as_posix()
            self._told(
                f"{path}: your answer stays as it is. Its contract has changed; the new stub is in {file}"
            )

    def _kept(self, answers: Mapping[str, bytes]) -> dict[str, str]:
        """The answers' hashes; each is in the database now."""
        return {path: self._attempts.keep(Path(path).stem, content) for path, content in answers.items()}

    def _answers(self, journal: Journal) -> dict[str, bytes]:
        """The answers of an update that was cut off."""
        answers = {}
        for path, hash_ in journal.answers.items():
            try:
                answers[path] = self._attempts.source(hash_)
            except KeyError:
                self._told(f"The answer that stood in {path} is not in the database any more.")
        return answers

    def _written_since(self, journal: Journal) -> dict[str, bytes]:
        """Answers that stand in exercises now and came there neither from git nor before it was cut off."""
        edited = [path for path in self._clone.edited() if is_exercise(path)]
        answers = conflicts(self._root, self._clone, self._catalog, edited).answers
        return {path: text for path, text in answers.items() if text not in self._versions(journal, path)}

    def _clear(self, contents: Mapping[str, bytes | None]) -> None:
        """Make exercises what they are in the last commit."""
        for path, content in contents.items():
            if _content(self._root / path) != content:
                raise CannotUpdate(f"{path} was written at the same moment")
            self._clone.undo(path)

    def _put_back(self, journal: Journal, answers: Mapping[str, bytes]) -> None:
        """Every answer to its place, unless something newer stands there; and note that this is done."""
        for path, answer in answers.items():
            current = _content(self._root / path)
            if current is None or current in self._versions(journal, path):
                replace_content(self._root / path, answer)
            elif current != answer:
                before = typed("history", topic=Path(path).stem)
                self._told(f"{path} stays as it is. What stood there before the update: {before}")
        if self._clone.commit("HEAD") != journal.old:
            write_journal(self._root, replace(journal, stage=IN_PLACE))
        elif not self._is_half_done(journal):
            end_journal(self._root)

    def _versions(self, journal: Journal, path: str) -> list[bytes | None]:
        """What git may have put there."""
        return [self._clone.content(commit, path) for commit in (journal.old, journal.new, "HEAD")]

    def _is_half_done(self, journal: Journal) -> bool:
        """Whether git was cut off in the middle: the branch stands where it did, but files that are no
        exercises are on their way to the new version, the last one perhaps written in part.
        """
        others = [path for path in self._clone.edited() if not is_exercise(path)]
        if not others or self._clone.commit("HEAD") != journal.old:
            return False
        pairs = [(_content(self._root / path), self._clone.content(journal.new, path)) for path in others]
        return all(current is None or (new is not None and new.startswith(current)) for current, new in pairs)


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Neither Ctrl-C nor a closed terminal ends this process, or git below it: it takes a moment only."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_IGN) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
