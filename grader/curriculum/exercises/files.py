"""The exercises: written from the solutions, and compared with them."""

import os
import subprocess
from pathlib import Path

from grader.curriculum.catalog import Catalog, Topic
from grader.curriculum.exercises.source_lines import StubError as StubError
from grader.curriculum.exercises.stub import stub_of as stub_of


def write_stubs(catalog: Catalog) -> list[Path]:
    """Write the exercises that are missing or out of date, and give their paths.

    An exercise that holds an answer is left alone: only what is its own stub is overwritten.
    """
    written = []
    for topic in catalog.topics:
        stub, current = _stub(topic), _text(topic.exercise)
        if current is None or (current != stub and _is_stub(current)):
            replace_text(topic.exercise, stub)
            written.append(topic.exercise)
    return written


def stale_stubs(catalog: Catalog) -> list[Path]:
    """The exercises whose stub is missing or out of date.

    Where one holds an answer, the text that git has of it is compared: learners may solve exercises.
    """
    return [topic.exercise for topic in catalog.topics if _is_stale(topic)]


def replace_text(path: Path, text: str) -> None:
    """Write a file at once, as UTF-8: others see the old text or the new one, never half of it."""
    replace_content(path, text.encode())


def replace_content(path: Path, content: bytes) -> None:
    """Write a file at once: others see the old content or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)


def _stub(topic: Topic) -> str:
    try:
        return stub_of(topic.solution.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise StubError(f"{topic.solution.relative_to(topic.pack.root)}: {error}") from error


def _is_stale(topic: Topic) -> bool:
    stub, current = _stub(topic), _text(topic.exercise)
    if current is not None and current != stub and not _is_stub(current):
        current = _text_in_git(topic) or current
    return current != stub


def _is_stub(source: str) -> bool:
    try:
        return stub_of(source) == source
    except (SyntaxError, ValueError):
        return False


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else None


def _text_in_git(topic: Topic) -> str | None:
    """The exercise as git's index has it; None without git, or where git does not know the file."""
    command = ["git", "show", f":./{topic.exercise_name}"]
    try:
        shown = subprocess.run(command, cwd=topic.workspace.root, capture_output=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return shown.stdout.decode(errors="replace") if shown.returncode == 0 else None
