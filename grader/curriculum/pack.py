"""Packs: where the files of a curriculum are. Nothing of a learner's is among them."""

from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
"""The folder that this program's package stands in: the clone, where it runs from one."""


@dataclass(frozen=True)
class Pack:
    """A curriculum: a catalog with its topics, their solutions and notebooks."""

    root: Path  # files are named relative to it
    catalog: Path  # the file that lists chapters and topics
    topics: Path
    solutions: Path
    notebooks: Path

    @classmethod
    def in_clone(cls, root: Path) -> "Pack":
        """byheart's own curriculum, as a clone has it."""
        grader = root / "grader"
        return cls(root, grader / "catalog.toml", grader / "topics", root / "solutions", root / "notebooks")

    def room(self, chapter: str, topic: str) -> Path:
        """The folder of a topic: its details, checks and mistakes."""
        return self.topics / chapter / topic

    def solution(self, chapter: str, topic: str) -> Path:
        """The reference, from which the exercise is made."""
        return self.solutions / chapter / f"{topic}.py"

    def notebook(self, chapter: str, topic: str) -> Path:
        """The explanation."""
        return self.notebooks / chapter / f"{topic}.ipynb"


def own_pack() -> Pack:
    """byheart's own curriculum."""
    return Pack.in_clone(PROJECT)
