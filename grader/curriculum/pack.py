"""Packs: where the files of a curriculum are. Nothing of a learner's is among them."""

from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of this program."""

PROJECT = PACKAGE.parent
"""The folder that this program's package stands in: the clone, where it runs from one."""

CARRIED = PACKAGE / "carried"
"""What an installed package carries and a clone has beside it: solutions and notebooks. See setup.py."""


def is_clone() -> bool:
    """Whether this program runs from a clone, whose curriculum can be worked on."""
    return not CARRIED.is_dir()


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

    @classmethod
    def installed(cls) -> "Pack":
        """The same, as the installed package carries it."""
        solutions, notebooks = CARRIED / "solutions", CARRIED / "notebooks"
        return cls(PROJECT, PACKAGE / "catalog.toml", PACKAGE / "topics", solutions, notebooks)

    @classmethod
    def in_folder(cls, root: Path) -> "Pack":
        """Another curriculum, in a folder of its own."""
        return cls(root, root / "catalog.toml", root / "topics", root / "solutions", root / "notebooks")

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
    return Pack.in_clone(PROJECT) if is_clone() else Pack.installed()
