"""What is asked today: everything of some topics, as many each day, so that the tests take no longer with
each topic that is added; and one of several ways of the same, where it is asked in several.

First come the topics that were changed lately, in the last commits or since; the others take turns by day.
"""

import subprocess
import zlib
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import PurePosixPath

from driving import PROJECT

A_DAY = 4
"""Topics that are asked everything on one day."""
LATELY = timedelta(days=1)
WALLS = (
    *("grader/worker/walls/", "grader/worker/process/", "grader/worker/serve.py"),
    *("grader/judge/workers/launch.py", "tests/worker/", "tests/hostile/", "tests/turns.py"),
)


def todays(topics: Iterable[str], day: date, changed: Iterable[str] | None = None) -> set[str]:
    """The topics that are asked everything on a day, of these in the catalog's order. `changed` are files, by
    default those that git says were changed lately.
    """
    ids = list(topics)
    first = day.toordinal() * A_DAY % len(ids)
    files = changed_lately(day) if changed is None else changed
    fresh = {part.partition(".")[0] for file in files for part in PurePosixPath(file).parts}
    in_turn = [*ids[first:], *ids[:first]]
    return set(sorted(in_turn, key=lambda topic: topic not in fresh)[:A_DAY])


def is_turn_of(place: int, places: int, name: str, day: date) -> bool:
    """Whether it is the turn of one of several ways, by its place among them, to ask `name`: on each day of
    as many it is another's.
    """
    return (zlib.crc32(name.encode()) + day.toordinal()) % places == place


def are_walls_changed(day: date, changed: Iterable[str] | None = None) -> bool:
    """Whether what keeps answers in, or what asks that of them, was changed lately."""
    files = changed_lately(day) if changed is None else changed
    return any(file.startswith(WALLS) for file in files)


def changed_lately(day: date) -> list[str]:
    """The files that commits of the last days changed, or that are changed and in no commit yet; none where
    git does not know. A commit without a parent (the first, or a shallow clone's oldest) changes nothing.
    """
    since = (day - LATELY).isoformat()
    return [
        *_git("log", f"--since={since}", "--min-parents=1", "--name-only", "--format="),
        *_git("ls-files", "--modified", "--others", "--exclude-standard"),
    ]


def _git(*arguments: str) -> list[str]:
    try:
        done = subprocess.run(["git", *arguments], cwd=PROJECT, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []
