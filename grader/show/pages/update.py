"""What an update brought, as text."""

from collections.abc import Mapping, Sequence

from grader.practice.update.generated import Followed
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
    for path, place in migrated.stranded:
        mine = "answer" if path.endswith(".py") else "copy"
        why = f"its place is {place} now, which holds another {mine}" if place else "its topic is gone"
        lines.append(f"{path}: your {mine} stays there; {why}.")
    return "\n".join(lines)


def followed_text(followed: Followed, renamed: Mapping[str, str]) -> str:
    """The same of a workspace, whose files follow the byheart that is installed."""
    migrated = Migrated(followed.new, followed.followed, tuple(renamed.items()), (), followed.stranded)
    lines = [f"{path} stays as you left it; its new version is in {new}" for path, new in followed.beside]
    return "\n".join(filter(None, [update_text(migrated), *lines]))


def _listed(topics: Sequence[str]) -> str:
    shown, more = topics[:8], len(topics) - 8
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
