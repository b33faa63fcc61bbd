"""Which isolation this machine can give: asked of a judge that is begun in it."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.batch.isolation import bubblewrap
from grader.curriculum.catalog import Catalog
from grader.curriculum.pack import PROJECT
from grader.worker.walls.wall import Wall

SECONDS = 60.0
_ASK = "from grader.judge.doctor import walls_here; print('walls', int(walls_here()))"

NEEDED = """\
This machine cannot keep answers apart as --isolate promises. One of these is needed:
  bubblewrap (apt install bubblewrap, dnf install bubblewrap), and namespaces for ordinary users: sysctl
    user.max_user_namespaces above 0 and, on Ubuntu, kernel.apparmor_restrict_unprivileged_userns=0
  in a container: Landlock and seccomp of the host's kernel, or --security-opt unmask=ALL (podman), or
    seccomp=unconfined, systempaths=unconfined and apparmor=unconfined (docker)
byheart doctor says which walls stand. Without --isolate, grade in a container or a virtual machine."""


class CannotIsolate(Exception):
    """No isolation stands here; the message says what to install or to switch on."""


@dataclass(frozen=True)
class Isolation:
    """What stands around a judge: `around` gives what begins its command, for the folder that it reads from;
    `told`: what there is to say about it.
    """

    around: Callable[[Path | None], list[str]]
    told: str


def isolation(catalog: Catalog) -> Isolation:
    """The strongest that there is. Raises `CannotIsolate`."""
    if bubblewrap.is_installed():
        inside = partial(bubblewrap.around, catalog)
        if suffices(walls_in(inside(None))):
            return Isolation(inside, "Each judge runs in bubblewrap, each answer in walls of its own in it.")
    if suffices(walls_in([])):
        return Isolation(lambda folder: [], "Each answer runs in walls of its own.")
    raise CannotIsolate(NEEDED)


def suffices(walls: Wall) -> bool:
    """Whether an answer can neither read what it is not to read nor reach a network."""
    return bool(walls & (Wall.FILES | Wall.PATHS)) and bool(walls & (Wall.NETWORK | Wall.CALLS))


def walls_in(command: list[str]) -> Wall:
    """The walls around the answers of a judge that is begun so; none where it cannot be begun."""
    try:
        done = subprocess.run(
            [*command, sys.executable, "-c", _ASK],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Wall(0)
    lines = [line for line in done.stdout.splitlines() if line.startswith("walls ")]
    return Wall(int(lines[-1].split()[1])) if done.returncode == 0 and lines else Wall(0)
