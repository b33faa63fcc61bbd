"""Where the system lets this process make a control group that bounds memory and processes.

Version 1 has a hierarchy for each of the two, and a group may be made below the one that a process is in: it
stays within all bounds that hold already. Version 2 has one, and what has processes has no bounded groups
below: there a group is made beside the one that this process is in, unless somebody has bounded that.
"""

import os
import re
from dataclasses import dataclass

from grader.worker.walls.limits import GROUP_MEMORY, GROUP_PROCESSES

_NEEDED = {"memory", "pids"}
_MEMORY = {"memory.limit_in_bytes": GROUP_MEMORY, "memory.memsw.limit_in_bytes": GROUP_MEMORY}
_PROCESSES = {"pids.max": GROUP_PROCESSES}
_BOTH = {"memory.max": GROUP_MEMORY, "memory.swap.max": 0, **_PROCESSES}
_SET_BY_OTHERS = ("memory.max", "memory.high", "cpu.max", "cpuset.cpus")
_NOT_SET = ("", "max")


@dataclass(frozen=True)
class Place:
    """A folder of the system's in which a group can be made."""

    home: str
    """The folder of the group that this process is in."""
    parent: str
    bounds: dict[str, int]
    """What to write to which file of a new group, in this order."""


def places(memberships: str, mounts: str) -> list[Place]:
    """One for each hierarchy that is needed, that of memory first, or none at all. The texts are those of
    `/proc/self/cgroup` and `/proc/self/mountinfo`.
    """
    groups = {
        name: path
        for _, names, path in (line.split(":", 2) for line in memberships.splitlines())
        for name in names.split(",")  # of version 2 the name is empty
    }
    return _of_version_1(groups, mounts) if groups.keys() >= _NEEDED else _of_version_2(groups, mounts)


def _of_version_1(groups: dict[str, str], mounts: str) -> list[Place]:
    memory = _folder(groups["memory"], mounts, "cgroup", "memory")
    processes = _folder(groups["pids"], mounts, "cgroup", "pids")
    if memory is None or processes is None:
        return []
    if memory == processes:  # one hierarchy for both
        return [Place(memory, memory, {**_MEMORY, **_PROCESSES})]
    return [Place(memory, memory, _MEMORY), Place(processes, processes, _PROCESSES)]


def _of_version_2(groups: dict[str, str], mounts: str) -> list[Place]:
    home = parent = _folder(groups.get("", ".."), mounts, "cgroup2")
    while home is not None and parent is not None:
        if set(_read(parent, "cgroup.subtree_control").split()) >= _NEEDED:
            return [Place(home, parent, _BOTH)]
        is_bounded = any(_read(parent, name).partition(" ")[0] not in _NOT_SET for name in _SET_BY_OTHERS)
        above = os.path.dirname(parent)
        # Above the uppermost group there is no such file.
        is_group = os.path.exists(os.path.join(above, "cgroup.controllers"))
        parent = above if is_group and not is_bounded else None
    return []


def _folder(group: str, mounts: str, kind: str, option: str = "") -> str | None:
    """Where the group is found among the mounts of that kind, with that option if it is one."""
    for line in mounts.splitlines():
        mount, _, system = line.partition(" - ")
        _, _, _, root, place, *_ = mount.split(" ")
        found_kind, _, found_options = system.split(" ", 2)
        if found_kind == kind and (not option or option in found_options.split(",")):
            top = _unescaped(root).rstrip("/")
            if (group + "/").startswith(top + "/") and ".." not in group.split("/"):
                return os.path.normpath(_unescaped(place) + "/" + group[len(top) :])
    return None


def _unescaped(text: str) -> str:
    """A path as it is: spaces are written as numbers."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def _read(folder: str, name: str) -> str:
    """What the file has, without its end of line: empty where there is none."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""
