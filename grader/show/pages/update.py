"""What an update brought, as text."""

from collections.abc import Sequence

from grader.practice.update.migration import Migrated


def update_text(migrated: Migrated) -> str:
    """A line for everything that the learner should know; empty if there is nothing."""
    lines = []
    if migrated.new:
        lines.append(f"New: {_listed(migrated.new)}.")
    if migrated.followed:
        lines.append(f"Improved, and not begun by you: {_listed(migrated.followed)}.")
    lines += [
        f"{former} is called {name} now; your progress came along." for former, name in migrated.renamed
    ]
    lines += [
        f"{topic}: your answer stays as it is. Its contract has changed; the new stub is in {path}"
        for topic, path in migrated.beside
    ]
    for path, exercise in migrated.stranded:
        why = f"the exercise is {exercise} now, and holds an answer too" if exercise else "its topic is gone"
        lines.append(f"{path}: your answer stays there; {why}.")
    return "\n".join(lines)


def _listed(topics: Sequence[str]) -> str:
    shown, more = topics[:8], len(topics) - 8
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
