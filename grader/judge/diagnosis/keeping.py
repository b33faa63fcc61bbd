"""Versions that keep something in their module from call to call: what they give in a check depends on those
before it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from grader.kit.mistakes import MisplacedMistake, Mistake

_KEEPING = re.compile(
    r"""
    ^\s*@.*cache | \blru_cache\(                        # what a function gave
    | \bglobal\ \w | ^[A-Za-z_]\w*(:[^=]+)?\ =\ [^=]    # a name of the module
    | (:[^=]*\ =\ |\w=)(\{\}|\[\])[,)]                  # a default, which is made once
    """,
    re.VERBOSE,
)


def keep_state(mistakes: Iterable[Mistake], solution: str) -> bool:
    """Whether the solution with these mistakes may keep something beyond the objects that a check makes."""
    return any(_keeps_state(mistake, solution) for mistake in mistakes)


@lru_cache(maxsize=4096)
def _keeps_state(mistake: Mistake, solution: str) -> bool:
    try:
        lines = mistake.applied(solution).splitlines()
    except MisplacedMistake:
        return False
    known = set(solution.splitlines())
    return any(_KEEPING.search(line) for line in lines if line not in known)
