"""Where each known mistake shows, alone, among the checks that a submission fails."""

from dataclasses import dataclass

from grader.kit.mistakes import Mistake


@dataclass(frozen=True)
class Showing:
    """Sets of checks, as bits: thousands of combinations are gone through."""

    mistake: Mistake
    agrees: int  # it comes to the same end as the submission, with the same values
    later: int  # it fails too, but the submission does not get that far
    otherwise: int  # it fails before that, or with other values

    @property
    def everywhere(self) -> int:
        """All checks in which it shows."""
        return self.agrees | self.later | self.otherwise


def reach(shown: tuple[Showing, ...]) -> int:
    """The checks in which any of them shows."""
    reached = 0
    for each in shown:
        reached |= each.everywhere
    return reached


def agreed(shown: tuple[Showing, ...]) -> int:
    """The checks in which any of them agrees."""
    agreed = 0
    for each in shown:
        agreed |= each.agrees
    return agreed


def may_hold(shown: tuple[Showing, ...]) -> bool:
    """Whether each of them may be needed: it explains what no other does, or something together with them."""
    return all(
        one.agrees & ~agreed(tuple(other for other in shown if other is not one))
        or one.everywhere & ~one.agrees
        for one in shown
    )


def price(shown: tuple[Showing, ...], checks: int) -> tuple[int, int, int]:
    """What is left open at best; in how many checks one does otherwise than the submission where no other
    shows, so that hardly both are meant; and in how many the version with all of them has to be run.
    """
    otherwise = alone = 0
    for one in shown:
        others = reach(tuple(other for other in shown if other is not one))
        otherwise |= one.otherwise
        alone |= one.otherwise & ~others
    return checks - reach(shown).bit_count(), alone.bit_count(), otherwise.bit_count()
