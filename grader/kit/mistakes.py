"""Known wrong versions of a solution."""

from dataclasses import dataclass, field


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
