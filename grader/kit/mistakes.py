"""Known wrong versions of a solution."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mistake:
    """A small edit of the solution that people make: `find` (it stands there exactly once) becomes `replace`.

    `says` tells the learner what they did, what is right, and why.
    """

    id: str
    find: str = field(kw_only=True)
    replace: str = field(kw_only=True)
    says: str = field(kw_only=True)

    def applied(self, solution: str) -> str:
        """The solution with this mistake. ValueError when the text to find is not there exactly once."""
        count = solution.count(self.find)
        if count != 1:
            raise ValueError(f"mistake {self.id}: the text to find stands {count} times in the solution")
        return solution.replace(self.find, self.replace)
