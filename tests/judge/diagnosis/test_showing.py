"""Sets of mistakes that are looked at together: which, and in which order, against the plain definition."""

import itertools
import random

from grader.judge.diagnosis.sets.showing import Showing, sets_that_may_hold
from grader.kit.mistakes import Mistake

CHECKS = 9


def union(numbers) -> int:
    whole = 0
    for number in numbers:
        whole |= number
    return whole


def may_hold(shown: tuple[Showing, ...]) -> bool:
    return all(
        one.agrees & ~union(other.agrees for other in shown if other is not one)
        or one.everywhere & ~one.agrees
        for one in shown
    )


def price(shown: tuple[Showing, ...]) -> tuple[int, int, int]:
    alone = union(
        one.otherwise & ~union(other.everywhere for other in shown if other is not one) for one in shown
    )
    return left_open(shown), alone.bit_count(), union(one.otherwise for one in shown).bit_count()


def left_open(shown: tuple[Showing, ...]) -> int:
    return CHECKS - union(one.everywhere for one in shown).bit_count()


def drawn(count: int) -> list[Showing]:
    """Each check of each mistake agrees, comes later, does otherwise, or passes."""
    draw = random.Random(f"{count} mistakes")
    found = []
    for number in range(count):
        places = [0, 0, 0, 0]
        for check in range(CHECKS):
            places[draw.choice([0, 1, 2, 3, 3])] |= 1 << check
        found.append(Showing(Mistake(str(number), find="a", replace="b", says="c"), *places[:3]))
    return found


def test_pairs_come_in_order_and_all_of_them():
    for count in (0, 1, 2, 5, 17):
        showing = drawn(count)
        wanted = sorted(filter(may_hold, itertools.combinations(showing, 2)), key=price)
        assert list(sets_that_may_hold(showing, 2, CHECKS)) == wanted


def test_of_triples_the_first_that_leave_nothing_open():
    for count in (2, 3, 11, 17):
        showing = drawn(count)
        whole = [
            each for each in itertools.combinations(showing, 3) if may_hold(each) and not left_open(each)
        ]
        assert list(sets_that_may_hold(showing, 3, CHECKS, most=7)) == sorted(whole, key=price)[:7]
    assert len(whole) > 7
