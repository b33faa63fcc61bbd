"""What harm a file may mean, it ends in a verdict that says so: forbidden built-ins, other programs, memory
of many processes, and what lies outside of its own folder.
"""

import contextlib
import ctypes
import os
import pty
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driving import CATALOG, PROJECT, TESTS, wait_for_empty_folders
from letting import LettingJudge

from grader.judge.pace import paced
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Verdict
from grader.worker.walls.kernel import libc

HOSTILE = TESTS / "hostile"
RIGHT = TESTS / "unusual"
SECRET = "the user's secret"

INSIDE = sorted(path.stem for path in (HOSTILE / "inside").glob("*.py"))
BUILTINS = sorted(path.stem for path in (HOSTILE / "builtins").glob("*.py"))
PROGRAMS = {
    "connect": ("forbidden", "opens a connection to the network"),
    "connect_in_python": ("error", "may not connect to anything"),
    "execve": ("forbidden", "starts another program"),
    "execve_in_child": ("forbidden", "starts another program"),
    "fetch": ("error", "may not connect to anything"),
    "fork_exec_afresh": ("error", "may not start other programs"),
    "fork_exec_by_its_loader": ("error", "may not start other programs"),
    "interpreter_by_multiprocessing": ("error", "may not start other programs"),
    "send_datagram": ("forbidden", "opens a connection to the network"),
    "spawn": ("forbidden", "starts another program"),
    "trace": ("forbidden", "makes the system call ptrace"),
    "own_library": ("error", "may not load libraries of its own"),
    "own_extension": ("error", "may not load libraries of its own"),
    "own_library_by_torch": ("error", "Could not load this library"),
}
UNCOUNTED = {
    "child": "os.fork leads",
    "child_before": "os.fork leads",
    "map": "mmap.__new__ leads",
}
FAMILY = {
    "all_at_once": "more memory than an answer may have",
    "generations": "more processes and threads than an answer may have",
    "many_threads": "more processes and threads than an answer may have",
    "orphans": "more memory than an answer may have",
    "shared": "more memory than an answer may have",
    "sleepers": "more processes and threads than an answer may have",
    "three_children": "more memory than an answer may have",
}
SLOW = """
import time
at_first = resource_watch.Watch.__init__
resource_watch.Watch.__init__ = lambda self: (time.sleep(3), at_first(self))[1]
"""
SIGHT = sorted(path.stem for path in (HOSTILE / "sight").glob("*.py"))
THROUGH_C = {
    *("group_through_c", "home_by_attach", "home_by_copy_through_c", "home_by_package", "home_by_profile"),
    *("home_by_save", "home_through_c", "neighbours_through_c", "processes_through_c"),
    *("project_through_c", "terminal_keys_through_c", "terminal_through_c"),
}
"""Without namespaces and Landlock, files are guarded in Python only."""


def has_landlock() -> bool:
    with contextlib.suppress(OSError):
        return libc.call("syscall", ctypes.c_long(444), None, ctypes.c_size_t(0), 1) > 0
    return False


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder of the user's, beside which submissions lie; not below pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "secret.txt").write_text(SECRET)
        yield Path(name)


@pytest.fixture(scope="module", params=[True, False], ids=["namespaces", "plain"])
def judge(request: pytest.FixtureRequest) -> Iterator[RemoteJudge]:
    os.environ["BYHEART_TEST_TOKEN"] = SECRET
    try:
        limits = {"check_seconds": paced(20.0), "diagnose": False}
        with RemoteJudge(namespaces=request.param, **limits) as judge:
            judge.namespaces, judge.limits = request.param, limits
            yield judge
    finally:
        del os.environ["BYHEART_TEST_TOKEN"]


@pytest.fixture(scope="module")
def judge_of(judge: RemoteJudge) -> Iterator[Callable[[str], RemoteJudge]]:
    """The judge for a text: for what goes through C, one that lets it, since it is other walls that are
    tried.
    """
    with LettingJudge(namespaces=judge.namespaces, **judge.limits) as letting:
        yield lambda text: letting if "ctypes" in text else judge


@pytest.fixture(scope="module")
def terminal() -> Iterator[tuple[int, str]]:
    """A terminal: the end where what is printed comes out, and its name."""
    outer, inner = pty.openpty()
    os.set_blocking(outer, False)
    yield outer, os.ttyname(inner)
    os.close(outer)
    os.close(inner)


@pytest.fixture(scope="module")
def listening() -> Iterator[list[socket.socket]]:
    """Sockets of the system: one that lies in a folder, one of the same name that lies in none."""
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2)]
        for each, start in zip(sockets, ("", "\0"), strict=True):
            each.bind(f"{start}{name}/socket")
            each.listen()
            each.setblocking(False)
        os.chmod(name, 0o755)
        os.chmod(f"{name}/socket", 0o777)
        yield sockets


def grade(judge: RemoteJudge, source: Path, folder: Path, terminal: str = "", server: str = "") -> Verdict:
    text = source.read_text().replace("SECRET", str(folder / "secret.txt")).replace("SOCKET", server)
    text = text.replace("PROJECT", str(PROJECT))
    path = folder / "answer.py"
    path.write_text(text.replace("FOLDER", str(folder)).replace("TERMINAL", terminal))
    return judge.grade("softmax", path)


def said(verdict: Verdict) -> str:
    return "\n".join([verdict.message or "", *(check.message for check in verdict.checks)])


@pytest.mark.one_way_a_day("judge", about_walls=False)
@pytest.mark.parametrize("name", BUILTINS)
def test_a_forbidden_built_in_is_out_of_reach(judge_of, folder, name):
    file = HOSTILE / "builtins" / f"{name}.py"
    verdict = grade(judge_of(file.read_text()), file, folder)
    assert verdict.outcome is Outcome.FORBIDDEN, said(verdict)


def test_the_sources_of_torch_are_read_by_nobody(judge, folder):
    verdict = grade(judge, HOSTILE / "sources" / "many_ways.py", folder)
    assert "0 of 13 ways found some" in verdict.output, verdict.output + said(verdict)
    assert verdict.outcome is Outcome.FAILED


def test_the_worker_reads_them_for_nobody(judge, folder):
    verdict = grade(judge, HOSTILE / "sources" / "by_a_finalizer.py", folder)
    assert "0 lines" in verdict.checks[0].output, verdict.checks[0].output + said(verdict)


@pytest.mark.one_way_a_day("judge", about_walls=False)
@pytest.mark.parametrize("name", INSIDE)
def test_the_inside_of_the_interpreter_is_out_of_reach(judge, folder, name):
    verdict = grade(judge, HOSTILE / "inside" / f"{name}.py", folder)
    assert verdict.outcome is Outcome.FORBIDDEN, said(verdict)


def test_nothing_of_the_judges_hangs_on_what_an_answer_can_reach(judge, folder):
    verdict = grade(judge, HOSTILE / "reach" / "everything.py", folder)
    assert "0 of 150000 things are not its own" in verdict.output, verdict.output + said(verdict)
    assert verdict.outcome is Outcome.FAILED


def test_the_frames_around_an_answer_know_nothing(judge, folder):
    verdict = grade(judge, HOSTILE / "reach" / "frames.py", folder)
    assert re.search(r"in [1-9]\d* spaces are \[\]", verdict.output), verdict.output + said(verdict)


@pytest.mark.parametrize("name", UNCOUNTED)
def test_nothing_is_computed_or_kept_where_it_does_not_count(judge, tmp_path, name):
    path = tmp_path / "answer.py"
    right = CATALOG["heap_top_k"].solution.read_text()
    path.write_text(f"{right}\n\n{(HOSTILE / 'uncounted' / f'{name}.py').read_text()}")
    verdict = judge.grade("heap_top_k", path)
    assert verdict.outcome is Outcome.FORBIDDEN, said(verdict)
    assert UNCOUNTED[name] in said(verdict)


def test_where_memory_is_bounded_nothing_is_kept_in_files(judge, tmp_path):
    path = tmp_path / "answer.py"
    text = (HOSTILE / "uncounted" / "file.py").read_text()
    path.write_text(f"{CATALOG['external_median'].solution.read_text()}\n\n{text}")
    verdict = judge.grade("external_median", path)
    assert "File too large" in said(verdict)


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_started_and_nobody_called(judge_of, folder, name):
    outcome, sentence = PROGRAMS[name]
    file = HOSTILE / "programs" / f"{name}.py"
    verdict = grade(judge_of(file.read_text()), file, folder)
    assert verdict.outcome is Outcome(outcome), said(verdict)
    assert sentence in said(verdict)


@pytest.mark.one_way_a_day("namespaces")
@pytest.mark.parametrize("namespaces", [True, False], ids=["namespaces", "plain"])
@pytest.mark.parametrize("name", FAMILY)
def test_a_family_of_processes_is_bounded(name, namespaces):
    verdict = of_a_family(name, namespaces)
    assert verdict.outcome is Outcome.CRASHED, said(verdict)
    assert FAMILY[name] in said(verdict)
    assert verdict.seconds < 15  # the children would hold the connection for longer


def test_a_machine_that_is_late_to_look_is_not_late_to_know_what_was_there_at_first():
    verdict = of_a_family("three_children", True, SLOW)
    assert verdict.outcome is Outcome.CRASHED, said(verdict)
    assert FAMILY["three_children"] in said(verdict)


def of_a_family(name, namespaces, machine=""):
    """The verdict on one, with smaller bounds: some machines take half a minute to give 2 GiB."""
    script = f"""
from pathlib import Path
from grader.curriculum.catalog import load_catalog
from grader.judge.session import Judge
from grader.worker.process import resource_watch

resource_watch.MEMORY, resource_watch.PROCESSES = 200 * 2**20, 30
{machine}
with Judge(["torch"], namespaces={namespaces}, check_seconds=40, file_seconds=40) as judge:
    path = Path({str(HOSTILE / "family" / f"{name}.py")!r})
    print(judge.grade(load_catalog()["softmax"], path).to_json())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, timeout=120
    )
    return Verdict.from_json(done.stdout)


@pytest.mark.one_way_a_day("judge")
@pytest.mark.parametrize("name", SIGHT)
def test_what_is_the_users_is_out_of_sight(judge, judge_of, folder, terminal, listening, name):
    if name in THROUGH_C and not judge.namespaces and not has_landlock():
        pytest.skip("only namespaces or Landlock stop the C library")
    outer, terminal_name = terminal
    server = listening[0].getsockname()
    file = HOSTILE / "sight" / f"{name}.py"
    judge = judge_of(file.read_text())
    verdict = grade(judge, file, folder, terminal_name, server)
    assert not verdict.passed
    assert SECRET not in verdict.output + said(verdict)
    with contextlib.suppress(BlockingIOError):
        assert os.read(outer, 99) == b""
    for each in listening:
        with pytest.raises(BlockingIOError):
            each.accept()
    assert sorted(os.listdir(folder)) == ["answer.py", "secret.txt"]
    assert (folder / "secret.txt").read_text() == SECRET
    wait_for_empty_folders(judge.pid)


@pytest.mark.parametrize(
    "made, found",
    [
        ("shmget(4242, 4096, 0o1666)", lambda libc: libc.shmget(4242, 4096, 0)),
        ("semget(4242, 1, 0o1666)", lambda libc: libc.semget(4242, 1, 0)),
        ("msgget(4242, 0o1666)", lambda libc: libc.msgget(4242, 0)),
    ],
    ids=["memory", "semaphores", "messages"],
)
def test_what_processes_share_does_not_outlive_the_grading(judge_of, folder, made, found):
    path = folder / "answer.py"
    path.write_text(
        f"import ctypes\n\nctypes.CDLL(None).{made}\n\n"
        "def softmax(x, dim=-1):\n    return x\n\n\nlog_softmax = softmax\n"
    )
    judge_of("ctypes").grade("softmax", path)
    assert found(ctypes.CDLL(None)) == -1


@pytest.mark.one_way_a_day("judge")
@pytest.mark.parametrize(
    "path", sorted(RIGHT.rglob("*.py")), ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_right_answers_in_unusual_styles_pass(judge, path):
    verdict = judge.grade(path.parent.name, path)
    assert verdict.passed, said(verdict)
