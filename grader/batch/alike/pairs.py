"""Which answers of a class are alike, by what few others have."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from grader.batch.alike.fingerprints import Fingerprinted

COMMON = 0.25
"""What more than this part of a class has (or eight answers) says nothing about two of them."""
FEWEST = 3
"""Fingerprints that two must share to be shown."""
MOST = 60
"""Pairs of a topic."""


@dataclass(frozen=True)
class Pair:
    """Two students. `share`: how much of the shorter answer's own text the other has too, from 0 to 1.
    `only`: fingerprints that nobody else has; `shared`: all that both have and few others. `lines`: where
    these stand in each answer.
    """

    students: tuple[str, str]
    share: float
    only: int
    shared: int
    lines: tuple[frozenset[int], frozenset[int]]
    weight: float


def pairs(answers: Mapping[str, Fingerprinted]) -> list[Pair]:
    """Pairs of students, those alike in the rarest ways first."""
    owners: dict[int, list[str]] = defaultdict(list)
    for student in sorted(answers):
        for print_ in answers[student].lines:
            owners[print_].append(student)
    most = max(COMMON * len(answers), 8)
    shared: dict[tuple[str, str], list[int]] = defaultdict(list)
    for print_, students in owners.items():
        if 2 <= len(students) <= most:
            for pair in combinations(students, 2):
                shared[pair].append(print_)
    rarity = {print_: math.log(1 + len(answers) / len(students)) for print_, students in owners.items()}
    found = []
    for (one, other), prints in shared.items():
        if len(prints) < FEWEST:
            continue
        smaller = min(len(answers[one].lines), len(answers[other].lines))
        counts = Counter(len(owners[print_]) for print_ in prints)
        lines = tuple(frozenset().union(*(answers[who].lines[p] for p in prints)) for who in (one, other))
        weight = sum(rarity[print_] for print_ in prints)
        found.append(
            Pair((one, other), len(prints) / smaller, counts[2], len(prints), (lines[0], lines[1]), weight)
        )
    return sorted(found, key=lambda pair: (-pair.weight * pair.share, pair.students))[:MOST]
