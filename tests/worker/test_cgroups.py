"""Control groups: where one can be made, that it bounds what the watch would not see in time, and that none
is left behind.
"""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from driving import PROJECT, TESTS

from grader.judge.verdict import Outcome, Verdict
from grader.judge.workers.endings import OVER
from grader.worker.walls.kernel import cgroups
from grader.worker.walls.kernel.cgroups import Counters, Group
from grader.worker.walls.kernel.hierarchies import Place, places

HOSTILE = TESTS / "hostile"
TWO = "5:memory:/user/a b\n4:cpu,cpuacct:/\n3:pids:/\n1:name=systemd:/\n"


def mounts(root: Path, *lines: str) -> str:
    """What stands in `/proc/self/mountinfo`."""
    return "22 1 0:5 / /proc rw - proc proc rw\n" + "\n".join(
        f"{number} 22 0:{number} {line.replace('ROOT', str(root))}" for number, line in enumerate(lines, 30)
    )


def made(folder: Path, **texts: str) -> Path:
    """A group of version 2 with these files; dots in their names are written as underlines."""
    folder.mkdir(parents=True)
    for name, text in {
        "cgroup_controllers": "cpu memory pids",
        "cgroup_subtree__control": "",
        **texts,
    }.items():
        (folder / name.replace("_", ".", 1).replace("__", "_")).write_text(text + "\n")
    return folder


MEMORY = "/ ROOT/memory rw,nosuid shared:9 - cgroup cgroup rw,memory"
PIDS = "/ ROOT/pids rw - cgroup cgroup rw,pids"
UNIFIED = "/ ROOT/unified rw - cgroup2 cgroup2 rw,nsdelegate"


class TestWhere:
    def test_version_1_has_a_hierarchy_for_each(self, tmp_path):
        memory, processes = places(TWO, mounts(tmp_path, MEMORY, PIDS))
        assert memory.parent == memory.home == f"{tmp_path}/memory/user/a b"
        assert processes.parent == processes.home == f"{tmp_path}/pids"
        assert set(memory.bounds) == {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}
        assert set(processes.bounds) == {"pids.max"}

    def test_version_1_may_have_one_for_both(self, tmp_path):
        both = "/ ROOT/both rw - cgroup cgroup rw,memory,pids"
        (place,) = places("2:memory,pids:/mine\n", mounts(tmp_path, both))
        assert place.parent == f"{tmp_path}/both/mine"
        assert {"memory.limit_in_bytes", "pids.max"} < set(place.bounds)

    def test_where_both_versions_are_mounted_the_one_that_bounds_is_asked(self, tmp_path):
        found = places(TWO + "0::/\n", mounts(tmp_path, UNIFIED, MEMORY, PIDS))
        assert [place.home for place in found] == [f"{tmp_path}/memory/user/a b", f"{tmp_path}/pids"]

    @pytest.mark.parametrize("lines", [(MEMORY,), (PIDS,), (UNIFIED,), ()])
    def test_a_half_is_none(self, tmp_path, lines):
        assert places(TWO, mounts(tmp_path, *lines)) == []

    def test_a_container_sees_its_own_part_of_a_hierarchy(self, tmp_path):
        shown = [MEMORY.replace("/ ROOT", r"/docker/1\0402 ROOT"), PIDS.replace("/ ROOT", "/docker ROOT")]
        texts = "5:memory:/docker/1 2/mine\n3:pids:/docker\n"
        found = places(texts, mounts(tmp_path, *shown))
        assert [place.home for place in found] == [f"{tmp_path}/memory/mine", f"{tmp_path}/pids"]

    @pytest.mark.parametrize("group", ["/elsewhere", "/docker-2", "/../docker/1"])
    def test_a_group_that_is_not_shown_is_none(self, tmp_path, group):
        shown = [MEMORY.replace("/ ROOT", "/docker ROOT"), PIDS]
        assert places(f"5:memory:{group}\n3:pids:/\n", mounts(tmp_path, *shown)) == []

    def test_version_2_has_it_beside_the_own_one(self, tmp_path):
        made(tmp_path / "unified")
        parent = made(tmp_path / "unified" / "user", cgroup_subtree__control="memory pids")
        home = made(parent / "terminal", memory_max="max", memory_high="max", cpu_max="max 100000")
        (place,) = places("0::/user/terminal\n", mounts(tmp_path, UNIFIED))
        assert (place.home, place.parent) == (str(home), str(parent))
        assert set(place.bounds) == {"memory.max", "memory.swap.max", "pids.max"}

    def test_version_2_has_it_further_up(self, tmp_path):
        top = made(tmp_path / "unified", cgroup_subtree__control="cpu memory pids")
        made(top / "user", cgroup_controllers="")
        made(top / "user" / "terminal", cgroup_controllers="")
        (place,) = places("0::/user/terminal\n", mounts(tmp_path, UNIFIED))
        assert place.parent == str(top)

    @pytest.mark.parametrize(
        "bound",
        [{"memory_max": "1000"}, {"memory_high": "1000"}, {"cpu_max": "1 2"}, {"cpuset_cpus": "0-1"}],
        ids=lambda bound: next(iter(bound)),
    )
    def test_what_somebody_has_bounded_is_not_left(self, tmp_path, bound):
        top = made(tmp_path / "unified", cgroup_subtree__control="memory pids")
        made(top / "mine", **bound)
        assert places("0::/mine\n", mounts(tmp_path, UNIFIED)) == []

    def test_version_2_without_what_is_needed_is_none(self, tmp_path):
        top = made(tmp_path / "unified", cgroup_subtree__control="cpu memory")
        made(top / "mine")
        assert places("0::/mine\n", mounts(tmp_path, UNIFIED)) == []

    def test_without_groups_there_is_none(self, tmp_path):
        assert places("", mounts(tmp_path)) == []


class TestRefused:
    def test_where_it_may_not_be_made(self, monkeypatch):
        monkeypatch.setattr(cgroups, "places", lambda *texts: [Place("/proc", "/proc", {"pids.max": 9})])
        before = Path("/proc/self/cgroup").read_text()
        group = Group()
        assert group.enter().descriptors == []
        group.remove()
        assert Path("/proc/self/cgroup").read_text() == before

    @pytest.mark.parametrize("files", [[], ["pids.max"]], ids=["no bound", "a bound that is not kept"])
    def test_where_the_bound_is_not_taken(self, monkeypatch, tmp_path, files):
        home, make_folder = str(tmp_path), os.mkdir

        def make_group(path: str) -> None:
            make_folder(path)
            for name in files:
                Path(path, name).symlink_to(os.devnull)

        monkeypatch.setattr(cgroups, "places", lambda *texts: [Place(home, home, {"pids.max": 9})])
        monkeypatch.setattr(cgroups, "_SECONDS", 0.0)  # such files a system removes with their folder
        monkeypatch.setattr(os, "mkdir", make_group)
        assert Group().enter().descriptors == []


class TestCounters:
    def file(self, path: Path, text: str) -> int:
        path.write_text(text)
        return os.open(path, os.O_RDWR)

    def test_version_2(self, tmp_path):
        text = "low 0\nmax {0}\noom {0}\noom_kill {0}\noom_group_kill 0\n"
        counters = Counters(self.file(tmp_path / "events", text.format(1)))
        assert len(counters.descriptors) == 1
        counters.begin()
        assert not counters.was_over()
        (tmp_path / "events").write_text(text.format(2))
        assert counters.was_over()

    def test_version_1(self, tmp_path):
        text = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"
        most = self.file(tmp_path / "most", "30000000")
        counters = Counters(self.file(tmp_path / "events", text.format(3)), most, bound=30_000_000)
        assert len(counters.descriptors) == 2
        counters.begin()
        (tmp_path / "most").write_text("29999000\n")
        assert not counters.was_over()
        (tmp_path / "events").write_text(text.format(4))
        assert counters.was_over()

    def test_what_the_machine_is_short_of_is_nobodys_fault(self, tmp_path):
        events = self.file(tmp_path / "events", "oom 0\noom_kill 0\n")
        first = self.file(tmp_path / "first", "oom_kill 0\n")
        most = self.file(tmp_path / "most", "30000000")
        for counters in (Counters(events), Counters(first, most, bound=30_000_000)):
            counters.begin()
            (tmp_path / "events").write_text("oom 0\noom_kill 1\n")
            (tmp_path / "first").write_text("oom_kill 1\n")
            (tmp_path / "most").write_text("9000000\n")
            assert not counters.was_over()

    def test_none(self):
        counters = Counters()
        counters.begin()
        assert not counters.was_over()


def run(script: str) -> list[str]:
    """The lines that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def left_behind(judge: str) -> list[str]:
    """The groups that there are of that judge, where this process would make its own."""
    here = places(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text())
    return [
        name for place in here for name in os.listdir(place.parent) if name.startswith(f"byheart-{judge}-")
    ]


@pytest.fixture(scope="module")
def group_stands() -> None:
    """Skips where none can be made."""
    stands = run(
        """
from grader.judge.session import Judge
from grader.worker.walls.wall import Wall

with Judge(["numpy"]) as judge:
    print(Wall.GROUP in judge.walls())
"""
    )
    if stands != ["True"]:
        pytest.skip("nobody here may make a control group with memory and processes")


SMALL = """
import os
from pathlib import Path
from grader.curriculum.catalog import load_catalog
from grader.judge.session import Judge
from grader.worker.process import process_tree
from grader.worker.walls.kernel import hierarchies

process_tree.can_watch = lambda: False  # as if it looked too late
for bounds in (hierarchies._MEMORY, hierarchies._PROCESSES, hierarchies._BOTH):
    for name, bound in bounds.items():
        bounds[name] = min(bound, 40 if name == "pids.max" else 300 * 2**20)
print(os.getpid())
softmax = load_catalog()["softmax"]
"""


@pytest.mark.usefixtures("group_stands")
@pytest.mark.one_way_a_day("namespaces")
@pytest.mark.parametrize("namespaces", [True, False], ids=["namespaces", "plain"])
class TestBound:
    def graded(self, name: str, namespaces: bool) -> Verdict:
        """The verdict where nobody watches. The judge goes on, and leaves nothing behind."""
        judge, verdict = run(
            f"""{SMALL}
with Judge(["torch"], namespaces={namespaces}, check_seconds=20, file_seconds=25, again=False) as judge:
    print(judge.grade(softmax, Path({str(HOSTILE / "family" / name)!r})).to_json())
    assert judge.grade(softmax, softmax.solution).passed
"""
        )
        assert left_behind(judge) == []
        return Verdict.from_json(verdict)

    @pytest.mark.parametrize("name", ["all_at_once.py", "three_children.py", "orphans.py", "shared.py"])
    def test_memory(self, name, namespaces):
        verdict = self.graded(name, namespaces)
        assert verdict.outcome is Outcome.CRASHED
        assert OVER["memory"] in (verdict.message or "")

    @pytest.mark.parametrize("name", ["sleepers.py", "generations.py", "many_threads.py"])
    def test_processes(self, name, namespaces):
        assert not self.graded(name, namespaces).passed  # they pass where there are fifty


@pytest.mark.usefixtures("group_stands")
def test_a_killed_judge_leaves_an_empty_one_that_the_next_removes():
    script = f"{SMALL}\njudge = Judge(['torch'])\njudge.walls()\nprint('ready', flush=True)\nos.read(0, 1)\n"
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        judge = process.stdout.readline().strip()
        assert process.stdout.readline() == "ready\n"
        assert left_behind(judge)
        below = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    psutil.wait_procs(below, timeout=10)
    run(f"{SMALL}\nwith Judge(['numpy']) as judge:\n    judge.walls()\n")
    assert left_behind(judge) == []
