"""Explanations held against checks that were run to their end: what a first failure hides shows there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from grader.judge.checks.beyond import CaseToItsEnd
from grader.judge.checks.reading import CheckFunction
from grader.judge.diagnosis.evidence import is_same_to_the_end
from grader.judge.diagnosis.versions import Versions
from grader.kit.mistakes import Mistake

MOST, MOST_ADDED = 4, 2
"""Mistakes in a completed set, and of them those that are added, at most."""


class Completing:
    """The submission's failing checks, run to their end, to compare mistaken versions with.

    `own` has those for which there was time. Methods raise NoTime.
    """

    def __init__(
        self,
        versions: Versions,
        checks: Sequence[CheckFunction],
        own: Mapping[str, tuple[CaseToItsEnd, ...]],
        mistakes: Sequence[Mistake],
    ) -> None:
        self._versions = versions
        self._checks = [check for check in checks if check.name in own]
        self._own = own
        self._mistakes = mistakes

    def fits(self, mistakes: Sequence[Mistake]) -> bool:
        """Whether the version with these goes wrong in the same places with the same values, to the end."""
        return self._first_misfit(mistakes) is None

    def has_seen(self, checks: Iterable[str]) -> bool:
        """Whether all of these were run to their end."""
        return all(name in self._own for name in checks)

    def completions(self, mistakes: Sequence[Mistake]) -> Iterator[list[Mistake]]:
        """What to add so that the set fits, the fewest first."""
        rows: list[list[Mistake]] = [[]]
        while rows and len(rows[0]) < min(MOST_ADDED, MOST - len(mistakes)):
            grown = []
            for added in rows:
                so_far = [*mistakes, *added]
                misfit = self._first_misfit(so_far)
                if misfit is None:
                    continue
                for mistake in self._mistakes:
                    if mistake in so_far or not self._shows(mistake, misfit):
                        continue
                    if self._fits_in([*so_far, mistake], misfit):
                        grown.append([*added, mistake])
                        if self.fits([*so_far, mistake]):
                            yield grown[-1]
            rows = grown

    def shown_in(self, mistake: Mistake) -> list[str]:
        """The checks in which the mistake shows, alone, if they are run to their end."""
        return [check.name for check in self._checks if self._shows(mistake, check)]

    def _first_misfit(self, mistakes: Sequence[Mistake]) -> CheckFunction | None:
        return next((check for check in self._checks if not self._fits_in(mistakes, check)), None)

    def _fits_in(self, mistakes: Sequence[Mistake], check: CheckFunction) -> bool:
        if self._versions.keep_state(mistakes):
            return True  # it was compared with all that came before
        evidence = self._versions.evidence_to_the_end(mistakes, check)
        return evidence is not None and is_same_to_the_end(self._own[check.name], evidence)

    def _shows(self, mistake: Mistake, check: CheckFunction) -> bool:
        evidence = self._versions.evidence_to_the_end([mistake], check)
        return evidence is not None and any(
            case.exception is not None or any(came is not None for came in case.came)
            for case in evidence.cases
        )
