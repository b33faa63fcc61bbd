"""Known wrong versions of a solution."""

import re
from dataclasses import dataclass, field

_VALUES_ARE_RIGHT = re.compile(r"(Your|The) (values|loss|losses|results?)\b[^.:;,]* (is|are) right\b")


class MisplacedMistake(ValueError):
    """The text that a mistake replaces does not stand in the solution exactly once."""


@dataclass(frozen=True)
class Mistake:
    """A small edit of the solution that people make: `find` (it stands there exactly once) becomes `replace`.

    `says` tells the learner what they did, what is right, and why. `also` are further pairs of find and
    replace, for a mistake that shows in several places at once.
    """

    id: str
    find: str = field(kw_only=True)
    replace: str = field(kw_only=True)
    says: str = field(kw_only=True)
    also: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)

    @property
    def vouches(self) -> bool:
        """Whether it tells the learner that the values are right, which nothing else may speak against."""
        return _VALUES_ARE_RIGHT.match(self.says) is not None

    def applied(self, solution: str) -> str:
        """The solution with this mistake. MisplacedMistake when the text to find is not there once."""
        for find, replace in ((self.find, self.replace), *self.also):
            count = solution.count(find)
            if count != 1:
                raise MisplacedMistake(
                    f"mistake {self.id}: the text to find stands {count} times in the solution"
                )
            solution = solution.replace(find, replace)
        return solution
