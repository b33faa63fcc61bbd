"""Sets of mistakes grown one by one: from one that a first check gives away, to what explains the checks that
it leaves open. So of most mistakes two checks are run, not all that fail.
"""

from collections.abc import Collection, Iterator, Sequence

from grader.judge.checks.reading import CheckFunction
from grader.judge.diagnosis.evidence import Relation
from grader.judge.diagnosis.sets.showing import Compared
from grader.kit.mistakes import Mistake

Set = tuple[Mistake, ...]


def grown(compared: Compared, mistakes: Sequence[Mistake], size: int) -> Iterator[Set]:
    """The smallest sets of two mistakes and more, `size` at most, that together explain every failing check,
    of those in which one mistake alone explains the first check that any explains by its values.
    """
    begun = {lead: _left_open(compared, lead) for lead in _leads(compared, mistakes)}
    found = False
    for _ in range(1, size):
        larger: dict[frozenset[str], tuple[Set, list[CheckFunction]]] = {}
        for each, left_open in begun.items():
            compared.keep_to_the_time()
            for whole in _with_one_more(compared, mistakes, each, left_open):
                key = frozenset(mistake.id for mistake in whole)
                if key not in larger and _keeps_explained(compared, whole, left_open):
                    larger[key] = whole, _left_open(compared, whole)
                    if not larger[key][1]:
                        found = True
                        yield whole
        if found:
            return
        begun = dict(larger.values())


def _leads(compared: Compared, mistakes: Sequence[Mistake]) -> list[Set]:
    """The mistakes that explain the first check that any of them explains, by values that nothing else
    gives.
    """
    for check in compared.failed:
        if check.name not in compared.strong:
            continue
        leads: list[Set] = [(mistake,) for mistake in mistakes if compared.agree([mistake], check)]
        if leads:
            return leads
    return []


def _left_open(compared: Compared, mistakes: Set) -> list[CheckFunction]:
    """The failing checks that the set does not explain, the quickest first."""
    return [check for check in compared.failed if not _explains(compared, mistakes, check)]


def _explains(compared: Compared, mistakes: Set, check: CheckFunction) -> bool:
    """Whether the set explains a check: those of it that show there, together."""
    shown = [each for each in mistakes if compared.relation([each], check) is not Relation.PASSES]
    return bool(shown) and compared.agree(shown, check)


def _with_one_more(
    compared: Compared, mistakes: Sequence[Mistake], begun: Set, left_open: Sequence[CheckFunction]
) -> Iterator[Set]:
    """The sets with one mistake more that explain the first check that this one leaves open."""
    for check in left_open[:1]:
        shown = [each for each in begun if compared.relation([each], check) is not Relation.PASSES]
        for mistake in mistakes:
            if mistake not in begun and compared.agree([*shown, mistake], check):
                yield (*begun, mistake)


def _keeps_explained(compared: Compared, whole: Set, left_open: Collection[CheckFunction]) -> bool:
    """Whether it explains all that was explained without its last mistake."""
    return all(_explains(compared, whole, check) for check in compared.failed if check not in left_open)
