"""What a set of mistakes explains of a failing submission, or that something speaks against it."""

from collections.abc import Iterator, Set

from grader.judge.diagnosis.sets.explanation import Explanation
from grader.judge.diagnosis.sets.showing import Compared, Showing

SPARED = 2
"""So many checks may pass that a mistake fails, at most, for each that it explains."""


def explained_by(shown: tuple[Showing, ...], compared: Compared, wrong: Set[str]) -> Explanation | None:
    """What the set explains; None if something speaks against it, or one of them is not needed. In the
    checks `wrong` values are wrong.
    """
    places = _explained(shown, compared)
    if places is None or not any(places):
        return None
    alone, together = places
    explained, unexplained, needed = {}, [], set[str]()
    for place, check in enumerate(compared.failed):
        if together >> place & 1:
            here = [each.mistake for each in shown if each.everywhere >> place & 1]
        elif alone >> place & 1:
            here = [each.mistake for each in shown if each.agrees >> place & 1]
        else:
            unexplained.append(check.name)
            continue
        explained[check.name] = tuple(here)
        if together >> place & 1 or len(here) == 1:
            needed |= {mistake.id for mistake in here}
    if any(each.mistake.id not in needed for each in shown):
        return None
    if wrong & set(unexplained) and any(each.mistake.vouches for each in shown):
        return None
    surplus = 0
    for each in shown:
        own = {name for name, by in explained.items() if each.mistake in by}
        more = compared.surplus(each.mistake)
        if not own & compared.strong and (more or compared.names(each.everywhere) - explained.keys()):
            return None
        if more > SPARED * len(own):
            return None
        surplus += more
    return Explanation(explained, tuple(unexplained), surplus)


def _explained(shown: tuple[Showing, ...], compared: Compared) -> tuple[int, int] | None:
    """The checks, as bits, that one of them explains alone, and those that only all that show there explain
    together. None where one does otherwise than the submission, and they do as well; or where the submission
    ends everywhere before anything shows. It is asked of tens of thousands of sets, of most of which nothing
    is known and nothing can be found out any more.
    """
    agrees = otherwise = everywhere = 0
    for each in shown:
        agrees |= each.agrees
        otherwise |= each.otherwise
        everywhere |= each.everywhere
    if not agrees | otherwise:
        return None
    alone = agrees & ~otherwise
    if len(shown) == 1 or not compared.may_tell(shown):
        return None if otherwise else (alone, 0)
    if not all(compared.agree_together(shown, place) for place in _places(otherwise)):
        return None
    later = everywhere & ~agrees & ~otherwise
    return alone, otherwise | sum(
        1 << place for place in _places(later) if compared.agree_together(shown, place)
    )


def _places(bits: int) -> Iterator[int]:
    """Where a bit is set."""
    return (place for place in range(bits.bit_length()) if bits >> place & 1)
