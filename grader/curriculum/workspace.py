"""The workspace: where the files of a learner are. In a clone, its root is both this and the curriculum's."""

from dataclasses import dataclass
from pathlib import Path

from grader.curriculum.pack import PROJECT


@dataclass(frozen=True)
class Workspace:
    """A learner's folder: exercises, progress, and what is made for them to look at."""

    root: Path

    @property
    def exercises(self) -> Path:
        """The exercises, a folder for each chapter."""
        return self.root / "exercises"

    @property
    def practice(self) -> Path:
        """What is kept between two commands: progress, the lock of a session, the journal of an update."""
        return self.root / ".practice"

    @property
    def build(self) -> Path:
        """What can be made again at any time: executed notebooks, reports."""
        return self.root / "build"

    def exercise(self, chapter: str, topic: str) -> Path:
        """What the learner fills in."""
        return self.exercises / chapter / f"{topic}.py"


def current_workspace() -> Workspace:
    """The workspace that commands work in."""
    return Workspace(PROJECT)
