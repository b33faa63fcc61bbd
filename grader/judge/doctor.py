"""What this machine gives to grading: a worker is made ready, and asked what stands around it."""

import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import Any

from grader.curriculum.workspace import current_workspace
from grader.judge.diagnosis.folder import evidence_folder
from grader.worker.walls.wall import Wall

_CONTAINER = (
    "in a container, --security-opt unmask=ALL (podman), or seccomp=unconfined, systempaths=unconfined and "
    "apparmor=unconfined (docker)"
)
_SPACES = (
    "namespaces for ordinary users: sysctl user.max_user_namespaces (a number above 0) and, on Ubuntu, "
    f"sysctl kernel.apparmor_restrict_unprivileged_userns=0; {_CONTAINER}"
)
_MOUNTS = f"Linux 5.12, and a /proc of which nothing is covered: {_CONTAINER}"
"""What a new root needs where there are namespaces: over a covered /proc the kernel mounts no new one."""
_NOTES = {
    Wall.FILES: ("an answer sees only the interpreter, its packages and a folder of its own", _SPACES),
    Wall.PROCESSES: ("it sees no process but its own, and all of them end with it", _SPACES),
    Wall.NETWORK: ("it has no network", _SPACES),
    Wall.MESSAGES: ("its shared memory and queues end with it", _SPACES),
    Wall.HOST: ("it does not see the name of the machine", _SPACES),
    Wall.USER: ("it runs without privileges", "run byheart as an ordinary user, not as root"),
    Wall.CALLS: (
        "the kernel refuses to start programs, to trace, to mount",
        "Linux with seccomp (CONFIG_SECCOMP_FILTER) on x86_64 or aarch64",
    ),
    Wall.PATHS: (
        "the kernel refuses to open any other file, to Python and to C",
        "Linux 5.13 with Landlock (CONFIG_SECURITY_LANDLOCK, and landlock in /sys/kernel/security/lsm)",
    ),
    Wall.FAMILY: (
        "memory and number of its processes together are bounded",
        "Linux with /proc mounted, and CONFIG_PROC_CHILDREN",
    ),
    Wall.GROUP: (
        "the kernel bounds them too, at once",
        "leave to make a control group with memory and pids: root mostly has it, and what a desktop started; "
        "over SSH, systemd-run --user --scope asks for it",
    ),
}
"""What each wall does, and what is needed for it."""
_STANDS_IN = {Wall.GROUP: Wall.FAMILY}
"""The wall that does the same, if more slowly."""


def walls_here() -> Wall:
    """The walls that stand around the workers of this machine."""
    from grader.judge.session import Judge

    with Judge(["numpy"]) as judge:
        return judge.walls()


def needs(wall: Wall, walls: Wall) -> str:
    """What that wall needs on a machine where these stand."""
    if wall in (Wall.FILES, Wall.FAMILY) and Wall.PROCESSES in walls and Wall.FILES not in walls:
        return _MOUNTS  # a family among processes of its own is found in a /proc of its own
    return _NOTES[wall][1]


def instead(wall: Wall, walls: Wall) -> str | None:
    """The name of the wall that does the same on a machine where these stand, if that one does not."""
    other = _STANDS_IN.get(wall)
    return str(other.name).lower() if other is not None and wall not in walls and other in walls else None


def examine() -> dict[str, Any]:
    """Walls (each with `name`, `stands`, `does`, `needs`, `instead`), versions, and folders with their
    bytes.
    """
    walls, workspace = walls_here(), current_workspace()
    return {
        "walls": [
            {
                "name": str(wall.name).lower(),
                "stands": wall in walls,
                "does": does,
                "needs": needs(wall, walls),
                "instead": instead(wall, walls),
            }
            for wall, (does, _) in _NOTES.items()
        ],
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": {"version": platform.python_version(), "path": sys.executable},
        "torch": _version("torch"),
        "numpy": _version("numpy"),
        "workspace": _folder(workspace.exercises),
        "progress": _folder(workspace.practice),
        "pages": _folder(workspace.build),
        "cache": _folder(evidence_folder()),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _folder(path: Path) -> dict[str, Any]:
    sizes = (
        os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(path) for name in names
    )
    return {"path": str(path), "bytes": sum(sizes)}
