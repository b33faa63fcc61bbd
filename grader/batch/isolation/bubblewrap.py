"""The judge inside bubblewrap (`bwrap`): it sees the interpreter, the curriculum and the one file that it
grades, and has no network.

`--unshare-all`: namespaces of its own for everything, so no network and no other process.
`--die-with-parent`: nothing outlives the batch. `--new-session`: no terminal to type into. `--clearenv`: no
secrets of the environment. Never `--disable-userns`: the judge raises the inner walls in namespaces of its
own. No part of the host's /proc is shown: it leads to the file systems of other processes.

Started by root, bwrap covers parts of /proc, and no new one can be mounted inside: of the inner walls,
`files` and `family` do not stand then (`paths` does).
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.curriculum.catalog import Catalog
from grader.curriculum.pack import PACKAGE, PROJECT
from grader.curriculum.workspace import NAMED, current_workspace
from grader.judge.diagnosis.folder import evidence_folder
from grader.worker.walls.environment import kept_environment
from grader.worker.walls.view import view_of

PROGRAM = "bwrap"


def is_installed() -> bool:
    """Whether there is such a program."""
    return shutil.which(PROGRAM) is not None


def around(catalog: Catalog, folder: Path | None = None) -> list[str]:
    """What stands before the command of a judge; `folder`: what it reads answers from."""
    command = [PROGRAM, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    if os.geteuid() == 0:
        command += ["--uid", "1000", "--gid", "1000"]  # root would not give its place to a worker's user
    cache = evidence_folder()
    environment = {
        **kept_environment(),
        **{"HOME": "/tmp", "XDG_CACHE_HOME": str(cache.parents[1]), NAMED: str(current_workspace().root)},
    }
    for name, value in environment.items():
        command += ["--setenv", name, value]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in dict.fromkeys(_shown(catalog)):
        command += ["--ro-bind-try", path, path]
    command += ["--ro-bind-try", str(cache), str(cache)]
    if folder is not None:
        command += ["--ro-bind", str(folder), str(folder)]
    return [*command, "--chdir", str(PROJECT), "--"]


def _shown(catalog: Catalog) -> Iterator[str]:
    """The interpreter with its libraries, and the files of the curriculum: nothing of a learner's."""
    view = view_of((), without_torch=False)
    yield from (*view.named, *view.readable)
    for prefix in (sys.prefix, sys.base_prefix):
        yield os.path.join(prefix, "bin")
        yield os.path.realpath(os.path.join(prefix, "bin"))
    yield str(PACKAGE)
    for pack in dict.fromkeys(topic.pack for topic in catalog.topics):
        yield from map(str, (pack.catalog, pack.topics, pack.solutions))
    yield str(current_workspace().settings)
