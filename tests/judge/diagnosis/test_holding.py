"""What a set of mistakes explains, against the plain definition, check by check; and how little is asked of a
set of which nothing can be told.
"""

import itertools
import random
from types import SimpleNamespace

from grader.judge.diagnosis.sets.holding import SPARED, explained_by
from grader.judge.diagnosis.sets.showing import Showing
from grader.kit.mistakes import Mistake

CHECKS = [SimpleNamespace(name=f"check {number}") for number in range(4)]
VALUES = "Your values are right, but not this."


class Drawn:
    """A submission held against five mistakes: who shows how in which check, alone and together, which of
    them fail passing checks as well, and which failing checks show values are drawn.
    """

    failed = CHECKS

    def __init__(self, draw: random.Random, tells: bool) -> None:
        self.tells = tells
        self.asked = 0
        self.strong = {check.name for check in CHECKS if draw.random() < 0.7}
        self.wrong = {check.name for check in CHECKS if draw.random() < 0.3}
        self.joint: dict[tuple[frozenset[str], int], bool] = {}
        self.draw = draw
        self.shown = []
        self.failing: dict[str, int] = {}
        for name in "ABCDE":
            places = [0, 0, 0, 0]
            for place in range(len(CHECKS)):
                places[draw.choice([0, 0, 1, 2, 3, 3])] |= 1 << place
            says = VALUES if draw.random() < 0.2 else "That is another thing."
            mistake = Mistake(name, find="a", replace="b", says=says)
            self.shown.append(Showing(mistake, *places[:3]))
            self.failing[name] = draw.choice([0, 0, 0, 1, SPARED, 3 * SPARED])

    def surplus(self, mistake: Mistake) -> int:
        return self.failing[mistake.id]

    def names(self, places: int) -> set[str]:
        return {check.name for place, check in enumerate(CHECKS) if places >> place & 1}

    def may_tell(self, shown) -> bool:
        return self.tells

    def agree_together(self, shown, place: int) -> bool:
        self.asked += 1
        assert self.tells
        key = frozenset(each.mistake.id for each in shown), place
        return self.joint.setdefault(key, self.draw.random() < 0.6)


def plainly(shown: tuple[Showing, ...], drawn: Drawn):
    """Who explains each check, what stays open, and how much should be wrong and is not; or None."""
    if not any(each.agrees or each.otherwise for each in shown):
        return None
    explained, unexplained, needed = {}, [], set()
    for place, check in enumerate(CHECKS):
        here = [each for each in shown if each.everywhere >> place & 1]
        agreeing = [each for each in here if each.agrees >> place & 1]
        if agreeing and not any(each.otherwise >> place & 1 for each in here):
            explained[check.name] = tuple(each.mistake for each in agreeing)
            needed |= {agreeing[0].mistake.id} if len(agreeing) == 1 else set()
        elif here and len(shown) > 1 and drawn.tells and drawn.agree_together(shown, place):
            explained[check.name] = tuple(each.mistake for each in here)
            needed |= {each.mistake.id for each in here}
        elif all(each.later >> place & 1 for each in here):
            unexplained.append(check.name)
        else:
            return None
    if any(each.mistake.id not in needed for each in shown):
        return None
    if drawn.wrong & set(unexplained) and any(each.mistake.vouches for each in shown):
        return None
    surplus = 0
    for each in shown:
        own = {name for name, by in explained.items() if each.mistake in by}
        more = drawn.surplus(each.mistake)
        if more > SPARED * len(own):
            return None
        if not own & drawn.strong and (more or drawn.names(each.everywhere) - {*explained}):
            return None
        surplus += more
    return explained, tuple(unexplained), surplus


def test_it_is_what_each_check_says():
    draw, told = random.Random("sets"), {True: 0, False: 0}
    for number in range(300):
        drawn = Drawn(draw, tells=number % 3 > 0)
        for size in (1, 2, 3):
            for shown in itertools.combinations(drawn.shown, size):
                found = explained_by(shown, drawn, drawn.wrong)
                came = found and (found.explained, found.unexplained, found.surplus)
                assert came == plainly(shown, drawn)
                told[found is not None and size > 1] += 1
    assert min(told.values()) > 100


def test_one_that_falls_is_asked_no_more():
    """Two that both do otherwise everywhere, and together in the first check as well."""
    drawn = Drawn(random.Random("one"), tells=True)
    shown = tuple(Showing(each.mistake, 0, 0, 0b1111) for each in drawn.shown[:2])
    drawn.joint[frozenset("AB"), 0] = False
    assert explained_by(shown, drawn, set()) is None
    assert drawn.asked == 1


def test_what_ends_before_they_show_is_asked_of_nothing():
    """It crashes at once, say: whatever is known shows later, and two of that as well."""
    drawn = Drawn(random.Random("none"), tells=True)
    shown = tuple(Showing(each.mistake, 0, 0b1111, 0) for each in drawn.shown[:2])
    assert explained_by(shown, drawn, set()) is None
    assert drawn.asked == 0
