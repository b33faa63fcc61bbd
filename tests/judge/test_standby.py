"""The next worker, which waits for its submission: it has never had another, and it ends with the judge."""

import contextlib
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from driving import PROJECT, TESTS, has_ended

from grader.curriculum.catalog import load_catalog
from grader.judge.service.remote import RemoteJudge

RIGHT = TESTS / "golden" / "softmax" / "solved.py"
NUMPY = next(topic for topic in load_catalog().topics if topic.framework == "numpy")

# Says what it finds of those before it, and leaves something behind.
TRACES = """
import os
import sys

print("used" if hasattr(sys, "_used") else "fresh", os.listdir())
sys._used = True
with open("left.txt", "w") as _file:
    _file.write("something")
"""

DESCRIPTORS = """
import os

for _name in sorted(os.listdir("/proc/self/fd"), key=int):
    try:
        print(_name, os.readlink(f"/proc/self/fd/{_name}").split(":")[0])
    except OSError:
        pass  # that of the listing
"""


@pytest.fixture(params=[True, False], ids=["namespaces", "plain"])
def own_judge(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RemoteJudge]:
    """A judge that may be broken, with one verdict given."""
    with RemoteJudge(namespaces=request.param) as judge:
        assert judge.grade("softmax", RIGHT).passed
        cells(judge)
        yield judge


def cells(judge: RemoteJudge, ready: int = 1) -> set[psutil.Process]:
    """The workers that wait, with the processes around them, once all do: for each framework the next one,
    and those that are `ready` for what was graded last in theirs.
    """
    server = psutil.Process(judge.pid)
    deadline, before = time.monotonic() + 30, set[psutil.Process]()
    while True:
        found = set(server.children(recursive=True)) - set(server.children())
        if len(found) == 4 + 2 * ready and found == before:
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.2)  # one that only helps others to start is gone by then
        before = found


def folders(judge: RemoteJudge) -> list[str]:
    return glob.glob(f"{tempfile.gettempdir()}/byheart-{judge.pid}-*")


def test_one_worker_of_each_kind_waits_and_one_is_ready(own_judge):
    assert len(cells(own_judge)) == 6
    assert len(folders(own_judge)) == 3


def test_no_worker_has_a_second_submission(own_judge, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(RIGHT.read_text() + TRACES)
    waiting = cells(own_judge)
    for _ in range(3):
        verdict = own_judge.grade("softmax", path)
        assert verdict.passed
        assert verdict.output.splitlines()[-1] == "fresh []"
        now = cells(own_judge)
        assert len(now & waiting) == 4  # that of NumPy, and the next of torch's, which is ready now
        waiting = now


def test_a_worker_has_only_its_own_descriptors(own_judge, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(RIGHT.read_text() + DESCRIPTORS)
    lines = own_judge.grade("softmax", path).output.splitlines()
    kinds = [line.split()[1] for line in lines if line[0].isdigit()]
    assert sorted(kinds) == ["/dev/null", "/dev/null", "pipe", "pipe", "pipe", "socket"]


def test_what_waits_has_no_descriptor_of_the_judge(own_judge):
    outputs = []
    for process in cells(own_judge):
        links = [os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)]
        outputs += [link.partition(":")[0] for link in links if link != "/dev/null"]
        assert process.num_fds() <= 9  # with those that tell of its end, of refused calls and of its group
    assert outputs == ["pipe"] * 2  # those of the one that is ready


@pytest.mark.parametrize("which", ["worker", "all"])
def test_one_that_is_killed_is_replaced(own_judge, which):
    waiting = cells(own_judge)
    for process in [p for p in waiting if which == "all" or not p.children()]:
        with contextlib.suppress(psutil.NoSuchProcess):  # a worker ends with the process around it
            process.kill()
    deadline = time.monotonic() + 5
    while not all(has_ended(process) for process in waiting) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert own_judge.grade(NUMPY.id, NUMPY.solution).passed
    assert own_judge.grade("softmax", RIGHT).passed
    assert cells(own_judge, ready=2).isdisjoint(waiting)


def test_it_ends_when_the_judge_is_closed():
    with RemoteJudge() as judge:
        assert judge.grade("softmax", RIGHT).passed
        family = [*psutil.Process(judge.pid).children(), *cells(judge)]
    assert [process for process in family if not has_ended(process)] == []
    assert folders(judge) == []


@pytest.mark.parametrize("victim", ["judge", "zygotes"])
def test_it_ends_when_others_are_killed(own_judge, victim):
    server = psutil.Process(own_judge.pid)
    zygotes = server.children()
    below = server.children(recursive=True)
    for process in [server] if victim == "judge" else zygotes:
        process.send_signal(signal.SIGKILL)
    left = [process for process in below if process not in zygotes or victim == "judge"]
    assert psutil.wait_procs(left, timeout=5)[1] == []
    if victim == "judge":
        assert wait_until_gone(own_judge) == []
    for folder in folders(own_judge):  # nobody is left to remove them
        os.rmdir(folder)


def wait_until_gone(judge: RemoteJudge) -> list[str]:
    deadline = time.monotonic() + 5
    while folders(judge) and time.monotonic() < deadline:
        time.sleep(0.05)
    return folders(judge)


@pytest.mark.parametrize("part", ["process_tree.run_dry", "limits.set_limits", "namespaces.enter"])
def test_what_goes_wrong_before_is_told(part):
    script = f"""
from grader.curriculum.catalog import load_catalog
from grader.judge.session import Judge
from grader.worker.process import process_tree
from grader.worker.walls import limits
from grader.worker.walls.kernel import namespaces

def fail(*args, **kwargs):
    raise OSError("this does not work here")

{part} = fail
topic = load_catalog()["mlp_numpy"]
with Judge(["numpy"]) as judge:
    judge.grade(topic, topic.solution)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, timeout=60
    )
    assert "WorkerFault: a worker does not start" in done.stderr
    assert "OSError: this does not work here" in done.stderr
