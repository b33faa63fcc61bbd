"""A clone with commits of its own, of answers, say: a newer version is merged into them.

The merge is a commit that goes on from the learner's own, so it is brought as any newer version is
(`grader.practice.update.pulling`).
"""

from collections.abc import Collection
from dataclasses import dataclass

from grader.practice.update.clone import CannotUpdate, Clone
from grader.practice.update.conflicts import is_exercise


@dataclass(frozen=True)
class Merged:
    """The commit, and the exercises that both sides changed: there the learner's version stays."""

    commit: str
    kept: tuple[str, ...]


def merged(clone: Clone, own: str, new: str) -> Merged:
    """A merge of the newer version into the own commits. Raises `CannotUpdate` where both changed a file that
    is no exercise.
    """
    with clone.index_of_merge(own, new) as index:
        unmerged = index.unmerged()
        others = [path for path in unmerged if not is_exercise(path)]
        if others:
            raise CannotUpdate(
                "Nothing was changed, because your commits and the newer version both change "
                f"{_listed(others)}. Bring them together (git merge @{{upstream}}), then: make update"
            )
        for path in unmerged:
            index.take(path, own)
        message = "Bring a newer version of byheart"
        return Merged(clone.commit_of(index.written(), (own, new), message), tuple(unmerged))


def _listed(paths: Collection[str]) -> str:
    return ", ".join(sorted(paths)[:3]) + (" and more" if len(paths) > 3 else "")
