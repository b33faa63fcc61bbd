"""A wall that cannot be built is told as missing, and grading goes on behind the others."""

import subprocess
import sys

import pytest
from driving import PROJECT

from grader.worker.walls.wall import Wall


def walls_when(change: str) -> Wall:
    """What stands when the system is changed like this, after a right answer has passed behind it."""
    script = f"""
from grader.curriculum.catalog import load_catalog
from grader.judge.session import Judge
from grader.worker.process import process_tree
from grader.worker.walls.kernel import seccomp
from grader.worker.walls.kernel import mounts
from grader.worker.walls.kernel import landlock
from grader.worker.walls.kernel import libc
from grader.worker.walls.kernel import namespaces

def fail(*args, **kwargs):
    raise OSError("this does not work here")

{change}
topic = load_catalog()["mlp_numpy"]
with Judge(["numpy"]) as judge:
    print(int(judge.walls()))
    assert judge.grade(topic, topic.solution).passed
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return Wall(int(done.stdout))


@pytest.mark.parametrize(
    "change, missing",
    [
        ("libc.set_attributes = fail", Wall.FILES),
        ("libc.set_attributes = landlock.allow_only = fail", Wall.FILES | Wall.PATHS),
        ("seccomp.refuse_calls = fail", Wall.CALLS),
        ("process_tree.can_watch = lambda: False", Wall.FAMILY),
        ("namespaces._NET = -1", Wall.NETWORK),
        ("namespaces._PIDS = -1", Wall.PROCESSES | Wall.FILES | Wall.NETWORK | Wall.MESSAGES | Wall.HOST),
    ],
    ids=["files", "paths", "calls", "family", "network", "namespaces"],
)
def test_what_does_not_stand_is_told(change, missing):
    here = walls_when("")
    assert missing in here
    assert not walls_when(change) & missing


def test_a_namespace_of_users_does_as_well():
    """the way of an ordinary user, and of root where others cannot read what is installed"""
    walls = walls_when("namespaces._is_open_to_all = lambda: False")
    assert walls & ~Wall.USER == walls_when("") & ~Wall.USER
