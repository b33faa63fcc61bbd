"""Sets of known mistakes, and which of the checks that fail they explain."""

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass

from grader.judge.verdict import Diagnosis
from grader.kit.mistakes import Mistake


@dataclass(frozen=True)
class Explanation:
    """Mistakes, and the checks that they explain, each alone or with others."""

    explained: dict[str, tuple[Mistake, ...]]  # by check
    unexplained: tuple[str, ...]
    surplus: int  # checks that the submission passes and one of the mistakes does not

    @property
    def mistakes(self) -> list[Mistake]:
        """The one that explains most first; of those alike, in the order of their ids."""
        found = {mistake.id: mistake for by in self.explained.values() for mistake in by}
        shown = {id: sum(each in by for by in self.explained.values()) for id, each in found.items()}
        return sorted(found.values(), key=lambda each: (-shown[each.id], each.id))

    @property
    def rank(self) -> tuple[int, bool, int, int]:
        """The least is the best: most explained, nothing that should be wrong and is not, fewest mistakes."""
        return -len(self.explained), self.surplus > 0, len(self.mistakes), self.surplus

    def only(self, mistakes: Collection[Mistake]) -> "Explanation | None":
        """What these of them explain without the others, None if that is nothing."""
        explained = {name: by for name, by in self.explained.items() if all(each in mistakes for each in by)}
        if not explained:
            return None
        left = tuple(name for name in self.explained if name not in explained)
        return Explanation(explained, (*self.unexplained, *left), self.surplus)

    def keeping_its_word(self, wrong: Set[str]) -> "Explanation | None":
        """Without mistakes that say that the values are right, where wrong ones are left open, which are in
        the checks `wrong`; None if those are all.
        """
        if not wrong & set(self.unexplained):
            return self
        return self.only([mistake for mistake in self.mistakes if not mistake.vouches])

    def joined_by(self, mistake: Mistake, checks: Sequence[str]) -> "Explanation":
        """With one more mistake, which shows in those checks."""
        explained = dict(self.explained)
        for name in checks:
            explained[name] = (*explained.get(name, ()), mistake)
        unexplained = tuple(name for name in self.unexplained if name not in explained)
        return Explanation(explained, unexplained, self.surplus)

    def without(self, mistake: Mistake) -> "Explanation":
        """Without one of the mistakes: what it explained alone, the others explain together."""
        others = tuple(each for each in self.mistakes if each is not mistake)
        explained = {
            name: tuple(each for each in by if each is not mistake) or others
            for name, by in self.explained.items()
        }
        return Explanation(explained, self.unexplained, self.surplus)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left open, and nothing should be wrong that is not."""
        return not self.unexplained and self.surplus == 0

    def told(self, checks: Sequence[str], own: Collection[str] = ()) -> Diagnosis:
        """As the verdict has it, checks in their order. In `own` are those that nothing could explain."""
        return Diagnosis.of(
            ((mistake.id, mistake.says) for mistake in self.mistakes),
            tuple(name for name in checks if name in self.explained),
            tuple(name for name in checks if name in self.unexplained or name in own),
        )


def best_of(explanations: Sequence[Explanation]) -> list[Explanation]:
    """Those that rank first."""
    best = min((each.rank for each in explanations), default=None)
    return [each for each in explanations if each.rank == best]


def common(explanations: Sequence[Explanation]) -> Explanation | None:
    """Of explanations that are equally good the mistakes that all have, None if there are none: which of the
    others it is, nothing tells. Of single mistakes the first: they come to the same.
    """
    if not explanations:
        return None
    first = explanations[0]
    if len(explanations) == 1 or len(first.mistakes) == 1:
        return first
    return first.only([each for each in first.mistakes if all(each in e.mistakes for e in explanations)])
