"""The workspace: where the files of a learner are. In a clone, its root is both this and the curriculum's.

What it is for is in its `byheart.toml`; a clone needs none.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from grader.curriculum import toml
from grader.curriculum.pack import PROJECT, is_clone

SETTINGS = "byheart.toml"
"""The file by which a workspace is known."""

NAMED = "BYHEART_WORKSPACE"
"""The environment variable that says where it is; `--workspace` sets it, also for what is started then."""


class WorkspaceError(Exception):
    """The workspace cannot be worked in; the message says why and what to do, in a sentence."""


@dataclass(frozen=True)
class Workspace:
    """A learner's folder: exercises, progress, and what is made for them to look at."""

    root: Path

    @property
    def exercises(self) -> Path:
        """The exercises, a folder for each chapter."""
        return self.root / "exercises"

    @property
    def notebooks(self) -> Path:
        """The explanations, as they may be worked on."""
        return self.root / "notebooks"

    @property
    def practice(self) -> Path:
        """What is kept between two commands: progress, the lock of a session, the journal of an update."""
        return self.root / ".practice"

    @property
    def build(self) -> Path:
        """What can be made again at any time: executed notebooks, reports."""
        return self.root / "build"

    @property
    def settings(self) -> Path:
        """The file that says which version made it, and which packs belong to it."""
        return self.root / SETTINGS

    @property
    def is_there(self) -> bool:
        """Whether there is one: made by `byheart init`, or a clone."""
        return self.settings.exists() or is_clone_of_this(self.root)

    def exercise(self, chapter: str, topic: str) -> Path:
        """What the learner fills in."""
        return self.exercises / chapter / f"{topic}.py"

    def notebook(self, chapter: str, topic: str) -> Path:
        """The explanation of a topic, as it may be worked on."""
        return self.notebooks / chapter / f"{topic}.ipynb"


@dataclass(frozen=True)
class Settings:
    """What stands in a `byheart.toml`. `version`: of the byheart that brought it up to date last."""

    version: str | None = None
    packs: tuple[Path, ...] = ()


def current_workspace() -> Workspace:
    """The workspace that commands work in: the one that is named, else the nearest one upwards from the
    current folder, else the clone; else the one at home, which may not be there.
    """
    if named := os.environ.get(NAMED):
        return Workspace(Path(named).expanduser().absolute())
    nearest = _nearest()
    if nearest is not None:
        return nearest
    return Workspace(PROJECT if is_clone() else Path.home() / "byheart")


def is_clone_of_this(root: Path) -> bool:
    """Whether a folder is the clone that this program runs from."""
    return is_clone() and root == PROJECT


def read_settings(workspace: Workspace) -> Settings:
    """Its settings; those of an empty file where there is none. Raises `WorkspaceError`."""
    path = workspace.settings
    try:
        values = toml.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"{path} cannot be read: {error}") from None
    version, packs = values.get("version"), values.get("packs", [])
    if unknown := sorted(values.keys() - {"version", "packs"}):
        raise WorkspaceError(f"{path}: there is no setting {unknown[0]!r}. There are: version, packs")
    if version is not None and not isinstance(version, str):
        raise WorkspaceError(f'{path}: version must be a string, such as "0.1.0"')
    if not isinstance(packs, list) or not all(isinstance(pack, str) for pack in packs):
        raise WorkspaceError(f'{path}: packs must be a list of folders, such as packs = ["../our-course"]')
    return Settings(version, tuple((workspace.root / Path(pack).expanduser()).resolve() for pack in packs))


def _nearest() -> Workspace | None:
    try:
        here = Path.cwd()
    except FileNotFoundError:  # it was deleted
        return None
    found = next((folder for folder in (here, *here.parents) if (folder / SETTINGS).is_file()), None)
    return None if found is None else Workspace(found)
