"""Where each known mistake shows, alone, among the checks that a submission fails."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from grader.judge.checks.reading import Case, CheckFunction
from grader.judge.checks.running import Run
from grader.judge.diagnosis.evidence import Relation, has_wrong_values, relation, size_of
from grader.judge.diagnosis.versions import NoTime, Versions
from grader.judge.verdict import DIAGNOSED, Outcome
from grader.kit.mistakes import Mistake


@dataclass(frozen=True)
class Showing:
    """Sets of checks, as bits (of 64 at most): a million of combinations may be gone through."""

    mistake: Mistake
    agrees: int  # it comes to the same end as the submission, with the same values
    later: int  # it fails too, but the submission does not get that far
    otherwise: int  # it fails before that, or with other values

    @property
    def everywhere(self) -> int:
        """All checks in which it shows."""
        return self.agrees | self.later | self.otherwise


class Compared:
    """A submission's checks, held against what mistaken versions do in them. What there is no time to find
    out speaks against a version.
    """

    def __init__(self, checks: Sequence[CheckFunction], runs: Mapping[str, Run], versions: Versions) -> None:
        failed = [check for check in checks if runs[check.name].check.outcome in DIAGNOSED]
        # The quickest first: most versions are told apart by it already.
        self.failed = sorted(failed, key=lambda check: runs[check.name].check.seconds)
        self.strong = {check.name for check in failed if has_wrong_values(runs[check.name], least=2)}
        self._passed = [check for check in checks if runs[check.name].check.outcome is Outcome.PASSED]
        self._runs = runs
        self._versions = versions

    def telling(self) -> Sequence[CheckFunction]:
        """Of the failing checks that show values which nothing else gives the one with the fewest, if there
        is any: always the same, and what versions gave in it takes little room to remember.
        """
        strong = [check for check in self.failed if check.name in self.strong]
        return sorted(strong, key=lambda check: (size_of(self._runs[check.name]), check.name))[:1]

    def relation(self, mistakes: Sequence[Mistake], check: CheckFunction) -> Relation:
        """How the version with these mistakes stands to the submission in a check."""
        try:
            evidence = self._versions.evidence(mistakes, check)
        except NoTime:
            evidence = None
        return Relation.OTHERWISE if evidence is None else relation(self._runs[check.name], evidence)

    def agree(self, mistakes: Sequence[Mistake], check: CheckFunction) -> bool:
        """Whether that version comes to the same end with the same values. The case in which the submission
        ends goes first, up to there: most versions do otherwise in it, and need not be run in the others.
        """
        if not self._versions.may_tell(mistakes):
            return False
        own = self._runs[check.name]
        if not self._versions.is_known(mistakes, check) and not self._versions.keep_state(mistakes):
            for case in check.cases:
                if case.seed == own.broken and not self._agree_in(case, mistakes, check):
                    return False
            if own.broken == check.cases[0].seed:
                return True
        return self.relation(mistakes, check) is Relation.AGREES

    def _agree_in(self, case: Case, mistakes: Sequence[Mistake], check: CheckFunction) -> bool:
        """The same in that case alone."""
        own = self._runs[check.name]
        try:
            evidence = self._versions.evidence_in(case, mistakes, check, len(own.records))
        except NoTime:
            return False
        return evidence is not None and relation(own, replace(evidence, cases=own.cases)) is Relation.AGREES

    def keep_to_the_time(self) -> None:
        """Raises NoTime when it is over."""
        self._versions.keep_to_the_time()

    def may_tell(self, shown: Iterable[Showing]) -> bool:
        """Whether anything is known of the version with all of these, or there is time to find out."""
        return self._versions.may_tell([each.mistake for each in shown])

    def agree_together(self, shown: Iterable[Showing], place: int) -> bool:
        """Whether the version with all of these comes to the same end in that failing check."""
        return self.agree([each.mistake for each in shown], self.failed[place])

    def agrees_everywhere(self, mistake: Mistake) -> bool:
        """Whether the mistake alone explains all that fails."""
        return all(self.agree([mistake], check) for check in self.failed)

    def showing(self, mistake: Mistake) -> Showing:
        """Where it shows."""
        places = dict.fromkeys(Relation, 0)
        for place, check in enumerate(self.failed):
            places[self.relation([mistake], check)] |= 1 << place
        return Showing(mistake, places[Relation.AGREES], places[Relation.LATER], places[Relation.OTHERWISE])

    def spotless(self, mistake: Mistake) -> Showing | None:
        """Where it shows, None as soon as something speaks against it: most do not get far."""
        if any(self.relation([mistake], check) is Relation.OTHERWISE for check in self.failed):
            return None
        return self.showing(mistake)

    def surplus(self, mistake: Mistake) -> int:
        """How many checks that the submission passes it does not."""
        return sum(self._fails(mistake, check) for check in self._passed)

    def _fails(self, mistake: Mistake, check: CheckFunction) -> bool:
        try:
            evidence = self._versions.evidence([mistake], check)
        except NoTime:
            return True
        return evidence is None or evidence.outcome is not Outcome.PASSED

    def names(self, places: int) -> set[str]:
        """The failing checks that these bits stand for."""
        return {check.name for place, check in enumerate(self.failed) if places >> place & 1}


def agreed(shown: tuple[Showing, ...]) -> int:
    """The checks in which any of them agrees."""
    agreed = 0
    for each in shown:
        agreed |= each.agrees
    return agreed


def sets_that_may_hold(
    showing: Sequence[Showing], size: int, checks: int, most: int | None = None
) -> Iterator[tuple[Showing, ...]]:
    """Sets of so many of them, each of which may be needed: it explains what no other does, or something
    together with them. Those first that leave the fewest of so many failing checks open at best; then those
    of which the fewest do otherwise than the submission where no other shows, so that hardly both are meant;
    then those for which the fewest checks have to be run. At most `most`, if it is given, and then only such
    as leave nothing open.

    There may be a million of them, so they are held against each other as columns of bits.
    """
    bits = [(each.agrees, each.everywhere, each.otherwise) for each in showing]
    columns = np.array(bits, np.uint64).reshape(-1, 3)
    places = _combinations(len(showing), size)
    agrees, everywhere, otherwise = columns[places].transpose(2, 1, 0)
    left_open = checks - np.bitwise_count(np.bitwise_or.reduce(everywhere)).astype(int)
    may_hold = left_open == 0 if most is not None else np.full(len(places), True)
    for one, others in _each_and_others(size):
        own = agrees[one] & ~np.bitwise_or.reduce(agrees[others])
        may_hold &= (own | everywhere[one] & ~agrees[one]) != 0
    places, left_open = places[may_hold], left_open[may_hold]
    _, everywhere, otherwise = columns[places].transpose(2, 1, 0)
    alone = np.zeros(len(places), np.uint64)
    for one, others in _each_and_others(size):
        alone |= otherwise[one] & ~np.bitwise_or.reduce(everywhere[others])
    to_run = np.bitwise_count(np.bitwise_or.reduce(otherwise))
    order = np.lexsort((to_run, np.bitwise_count(alone), left_open))
    for row in places[order[:most]].tolist():
        yield tuple(showing[place] for place in row)


def _each_and_others(size: int) -> list[tuple[int, list[int]]]:
    """Each column with all others."""
    return [(one, [other for other in range(size) if other != one]) for one in range(size)]


def _combinations(count: int, size: int) -> np.ndarray:
    """As in itertools, in rows."""
    rows = np.arange(count)[:, None]
    for _ in range(1, size):
        more = count - 1 - rows[:, -1]  # that may follow
        first = np.repeat(np.cumsum(more) - more, more)
        rows = np.column_stack([np.repeat(rows, more, axis=0), np.arange(len(first)) - first])
        rows[:, -1] += rows[:, -2] + 1
    return rows
