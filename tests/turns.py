"""Which topics are asked everything today: as many each day, so that the tests take no longer with each topic
that is added.

First come those that were changed lately, in the last commits or since; the others take turns by day.
"""

import subprocess
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import PurePosixPath

from driving import PROJECT

A_DAY = 16
"""Topics that are asked everything on one day."""
LATELY = timedelta(days=1)


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
