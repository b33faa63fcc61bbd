"""Which known mistakes a failing submission makes: the smallest set that explains the checks that fail.

Where none of the listed mistakes explains everything, a slip of the hand may: see `grader.judge.slips`. It
never guesses. A mistake explains a check in which its version of the solution comes to the same end as the
submission, with the same values. In no check may it show otherwise than the submission does, unless the
submission ends before that, or the version with all mistakes that show there does come to the same end.

Finite values that differ from the expected ones and agree with the mistake's are strong evidence: nothing
else gives them. Evidence without such values (NaN everywhere, a count, an exception) counts only when the
mistake fails no check that the submission passes; and whoever passes many more of a mistake's checks than it
explains does not make it, but has come to its values in another way (a table of one position turns nothing).
"""

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from grader.judge.checks.beyond import CaseToItsEnd
from grader.judge.checks.reading import CheckFile
from grader.judge.checks.running import Run
from grader.judge.diagnosis.evidence import ends_in_own_words, has_wrong_values
from grader.judge.diagnosis.memory import Memory
from grader.judge.diagnosis.noise import is_alike_but_for_rounding
from grader.judge.diagnosis.sets.completing import Completing
from grader.judge.diagnosis.sets.explanation import Explanation, best_of, common
from grader.judge.diagnosis.sets.growing import grown
from grader.judge.diagnosis.sets.holding import explained_by
from grader.judge.diagnosis.sets.showing import Compared, Showing, agreed, sets_that_may_hold
from grader.judge.diagnosis.versions import NoTime, Versions, text_of_versions
from grader.judge.listener import Listener
from grader.judge.slips.slips import slips_of
from grader.judge.verdict import Diagnosis
from grader.judge.workers.client import Program, Worker
from grader.kit.mistakes import Mistake

WORK_SECONDS = 3.0
"""What the judge does for it, as much as the worker, the first time, when nothing is remembered."""
SLIP_SECONDS = 0.5
"""Of it for slips of the hand, which are looked for where no known mistake alone explains everything."""
GROWN_SECONDS = 1.5
"""Of it for sets that a first mistake leads to."""
TOGETHER_SECONDS = 0.3
"""Of it for sets that show only together. What was tried is remembered: the next time goes on."""
SIDE_BY_SIDE = 4
"""Mistakes that are named together, at most, where each shows in a check without the others."""
TOGETHER = 3
"""The same where some show only together."""
TRIPLES = 400
"""Sets of three that are looked at, at most."""


def diagnose(
    checks: CheckFile,
    runs: Mapping[str, Run],
    to_the_end: Mapping[str, tuple[CaseToItsEnd, ...]],
    reference: Program,
    worker: Worker,
    memory: Memory,
    seconds: float,
    listener: Listener,
) -> Diagnosis | None:
    """The mistakes in the reference that explain `runs` (by check name), None when there are none that can be
    found in so many seconds.

    `to_the_end` has some of the failing checks, run on past what is wrong: the better to tell by.
    """
    written = text_of_versions(reference, checks.mistakes)
    own = {name for name, run in runs.items() if ends_in_own_words(run, written)}
    shared = replace(checks, checks=tuple(check for check in checks.checks if check.name not in own))
    versions = Versions(checks.checks, reference, worker, memory, WORK_SECONDS, seconds, listener)
    try:
        found = _Search(shared, runs, to_the_end, versions, partial(slips_of, reference.text)).best()
    finally:
        memory.save()
    return found.told([check.name for check in checks.checks], own) if found else None


class _Search:
    """The submission's runs, to compare mistaken versions of the solution with."""

    def __init__(
        self,
        checks: CheckFile,
        runs: Mapping[str, Run],
        to_the_end: Mapping[str, tuple[CaseToItsEnd, ...]],
        versions: Versions,
        slips: Callable[[], Sequence[Mistake]],
    ) -> None:
        self._compared = Compared(checks.checks, runs, versions)
        self._failed, self._strong = self._compared.failed, self._compared.strong
        self._mistakes, self._slips = checks.mistakes, slips
        self._wrong = {check.name for check in self._failed if has_wrong_values(runs[check.name])}
        self._runs = runs
        self._versions = versions
        self._completing = Completing(versions, self._failed, to_the_end, checks.mistakes)

    def best(self) -> Explanation | None:
        """The smallest set that explains all; where there is none, the one that explains most."""
        found = self._best()
        return found and found.keeping_its_word(self._wrong)

    def _best(self) -> Explanation | None:
        found: list[Explanation] = []
        try:
            for explanation in self._explanations():
                found.append(explanation)
                if explanation.is_whole and self._completing.fits(explanation.mistakes):
                    return self._told_apart(explanation)
            if not found:
                return self._but_for_rounding() if self._failed else None
            best = best_of(found)
            completed = (self._completed(each) for each in best)
            return next((each for each in completed if each is not None), None) or self._sure(common(best))
        except NoTime:
            return self._sure(common(best_of(found)))

    def _told_apart(self, explanation: Explanation) -> Explanation | None:
        """The set without mistakes in whose place others would explain as much, of which nothing tells."""
        mistakes = explanation.mistakes
        for mistake in mistakes if len(mistakes) > 1 else ():
            others = [each for each in mistakes if each is not mistake]
            for rival in self._rivals(mistake, explanation):
                instead = self._explained_by((*map(self._compared.showing, others), rival))
                is_as_good = instead is not None and instead.rank <= explanation.rank
                if is_as_good and self._completing.fits([*others, rival.mistake]):
                    return self._reduced(explanation, others)
        return explanation

    def _rivals(self, mistake: Mistake, explanation: Explanation) -> Iterator[Showing]:
        """Other mistakes, nothing against them, that agree wherever this one alone explains a check."""
        alone = [check for check in self._failed if explanation.explained.get(check.name) == (mistake,)]
        for other in self._mistakes if alone else ():
            is_new = other not in explanation.mistakes
            if is_new and all(self._compared.agree([other], check) for check in alone):
                shown = self._compared.spotless(other)
                if shown is not None:
                    yield shown

    def _reduced(self, explanation: Explanation, mistakes: list[Mistake]) -> Explanation | None:
        """What these of its mistakes explain."""
        shown = tuple(map(self._compared.showing, mistakes))
        return (self._explained_by(shown) or explanation.only(mistakes)) if shown else None

    def _sure(self, explanation: Explanation | None) -> Explanation | None:
        """The explanation, where it leaves something open without what that may explain as well: mistakes
        that show in nothing but NaN, counts and the like, as others do.
        """
        if explanation is None or not explanation.unexplained:
            return explanation
        sure = [each for each in explanation.mistakes if self._is_sure(each, explanation)]
        return explanation if len(sure) == len(explanation.mistakes) else self._reduced(explanation, sure)

    def _is_sure(self, mistake: Mistake, explanation: Explanation) -> bool:
        explained = {name for name, by in explanation.explained.items() if mistake in by}
        others = [each for each in self._mistakes if each not in explanation.mistakes]
        here = [check for check in self._failed if check.name in explained]
        is_shared = any(self._compared.agree([other], check) for check in here for other in others)
        return bool(explained & self._strong) or not is_shared

    def _but_for_rounding(self) -> Explanation | None:
        """The mistake that fails the same checks, with values that differ only where they are noise."""
        for mistake in self._mistakes:
            is_alike = is_alike_but_for_rounding(mistake, self._failed, self._runs, self._versions)
            if is_alike and not self._compared.surplus(mistake):
                return Explanation({check.name: (mistake,) for check in self._failed}, (), 0)
        return None

    def _completed(self, explanation: Explanation) -> Explanation | None:
        """The set together with what the first failures hide, if there is something that makes it fit."""
        found: list[Explanation] = []
        for added in self._completing.completions(explanation.mistakes):
            whole = explanation
            for mistake in added:
                whole = whole.joined_by(mistake, self._completing.shown_in(mistake))
            if found and len(whole.mistakes) > len(found[0].mistakes):
                break
            if not any(map(self._compared.surplus, added)):
                found.append(whole)
        shared = common(found)
        return self._without_idle(shared) if shared else None

    def _without_idle(self, explanation: Explanation) -> Explanation:
        """The explanation, which fits, without mistakes that it fits without, where all was seen of them."""
        for mistake in explanation.mistakes:
            others = [each for each in explanation.mistakes if each is not mistake]
            explained = [name for name, by in explanation.explained.items() if mistake in by]
            if others and self._completing.has_seen(explained) and self._completing.fits(others):
                explanation = explanation.without(mistake)
        return explanation

    def _explanations(self) -> Iterator[Explanation]:
        """Sets that hold, those first that are found soonest."""
        if not self._failed:
            return
        found = False
        for stage in (self._alone, self._slipped, self._grown, self._side_by_side, self._together):
            for explanation in stage():
                found |= explanation.is_whole
                yield explanation
            if found:
                return

    def _alone(self) -> Iterator[Explanation]:
        """Single mistakes that explain everything."""
        for mistake in self._mistakes:
            if self._compared.agrees_everywhere(mistake):
                explanation = self._explained_by((self._compared.showing(mistake),))
                if explanation is not None:
                    yield explanation

    def _slipped(self) -> Iterator[Explanation]:
        """The first slip of the hand that explains everything, by values that nothing else gives."""
        with self._versions.at_most(SLIP_SECONDS), contextlib.suppress(NoTime):
            for check in self._compared.telling():
                for slip in self._slips():
                    if self._compared.agree([slip], check) and self._compared.agrees_everywhere(slip):
                        found = self._explained_by((self._compared.showing(slip),))
                        if found is not None and found.is_whole and self._completing.fits([slip]):
                            return iter([found])
        return iter(())

    def _grown(self) -> Iterator[Explanation]:
        """Sets that a first mistake leads to."""
        sets = grown(self._compared, self._mistakes, SIDE_BY_SIDE)
        while True:
            with self._versions.at_most(GROWN_SECONDS):
                mistakes = next(sets, None)
            if mistakes is None:
                return
            explanation = self._explained_by(tuple(map(self._compared.showing, mistakes)))
            if explanation is not None:
                yield explanation

    def _side_by_side(self) -> Iterator[Explanation]:
        """The smallest sets of mistakes, nothing against any of them, that explain as much as all such."""
        spotless = [each for each in map(self._compared.spotless, self._mistakes) if each is not None]
        clean = [each for each in spotless if each.agrees and self._may_be_named(each)]
        everything = agreed(tuple(clean))
        found = False
        for size in range(1, SIDE_BY_SIDE + 1):
            for shown in itertools.combinations(clean, size):
                self._compared.keep_to_the_time()
                if agreed(shown) == everything and (explanation := self._explained_by(shown)) is not None:
                    found = True
                    yield explanation
            if found:
                return

    def _together(self) -> Iterator[Explanation]:
        """Sets in which some mistakes show in the same checks, so that none is seen alone there."""
        showing = [shown for shown in map(self._compared.showing, self._mistakes) if shown.everywhere]
        self._versions.hurry(TOGETHER_SECONDS)
        for size in range(2, TOGETHER + 1):
            if size > 2 and self._versions.is_late():
                return
            most = TRIPLES if size > 2 else None
            for shown in sets_that_may_hold(showing, size, len(self._failed), most):
                self._compared.keep_to_the_time()
                explanation = self._explained_by(shown)
                if explanation is not None:
                    yield explanation

    def _explained_by(self, shown: tuple[Showing, ...]) -> Explanation | None:
        return explained_by(shown, self._compared, self._wrong)

    def _may_be_named(self, shown: Showing) -> bool:
        """Whether its own evidence would be enough."""
        return (
            bool(self._compared.names(shown.agrees) & self._strong)
            or self._compared.surplus(shown.mistake) == 0
        )
