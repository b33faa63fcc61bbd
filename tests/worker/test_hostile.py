"""Nothing that a file does passes, hangs the judge, leaves a process behind or touches the project."""

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from driving import BRIEF, PROJECT, TESTS, wait_for_empty_folders
from letting import LettingJudge

from grader.judge.pace import paced
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Verdict

HOSTILE = TESTS / "hostile"
HARMLESS = TESTS / "harmless"

# File (in tests/hostile), outcome, and what the verdict says about it.
CASES = [
    ("abort", "crashed", "signal SIGABRT"),
    ("another_interpreter", "error", "may not start other programs"),
    ("catch_refusal", "forbidden", "built-in softmax is forbidden in this topic"),
    ("children", "failed", "largest difference"),
    ("close_descriptors", "crashed", "The process"),
    ("delete_project", "error", "may only write to its own temporary folder"),
    ("endless_import", "timeout", "Importing the file takes more than"),
    ("endless_loop", "timeout", "stopped after"),
    ("equals_everything", "failed", "got an Anything, expected a Tensor"),
    ("exit_at_import", "error", "It ends the program: sys.exit(0)"),
    ("exit_in_call", "error", "It ends the program: sys.exit(0)"),
    ("fake_lateness", "timeout", "an endless loop?"),
    ("fake_verdict", "crashed", "wrote something else where its answer belongs"),
    ("fill_disk", "error", "large"),
    ("huge_view", "error", "a tensor of shape"),
    ("import_solution", "forbidden", "belongs to the grader"),
    ("import_solutions_package", "forbidden", "belongs to the grader"),
    ("itself_in_a_list", "error", "recursion"),
    ("keyboard_interrupt", "error", "KeyboardInterrupt"),
    ("kill_itself", "crashed", "signal SIGKILL"),
    ("kill_parent", "error", "may not send signals"),
    ("kill_parent_through_c", "failed", "largest difference"),
    ("memory", "crashed", "more memory than an answer may have"),
    ("memory_to_the_last", "crashed", "more memory than an answer may have"),
    ("memory_tensor", "crashed", "more memory than an answer may have"),
    ("nasty_exception", "error", "its message cannot be shown"),
    ("os_exit", "crashed", "exit status 0"),
    ("os_exit_at_import", "crashed", "exit status 0"),
    ("patched_builtins", "crashed", "The process"),
    ("patched_comparison", "failed", "largest difference"),
    ("patched_pytest", "failed", "largest difference"),
    ("read_solution", "forbidden", "belongs to the grader"),
    ("recursion", "error", "RecursionError"),
    ("search_memory", "forbidden", "gc.get_objects shows the inside of the interpreter"),
    ("search_stack", "forbidden", "sys._getframe shows the inside of the interpreter"),
    ("segfault", "crashed", "signal SIGSEGV"),
    ("shell", "error", "may not start other programs"),
    ("shell_through_c", "forbidden", "starts another program"),
    ("stop_iteration", "error", "StopIteration"),
    ("stubborn_loop", "timeout", "stopped after"),
    ("tensor_subclass", "failed", "got a Yes (a subclass of Tensor)"),
    ("terminal_escapes", "error", "ValueError"),
    ("umount_in_namespace_through_c", "forbidden", "makes a namespace of its own"),
    ("umount_through_c", "forbidden", "makes the system call umount2"),
    ("write_project", "error", "may only write to its own temporary folder"),
]
THROUGH_C = {name for name, _, _ in CASES if "import ctypes" in (HOSTILE / f"{name}.py").read_text()}
"""They are refused ctypes. What would stop them without that is tried as well."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder for submissions and their victim; not below pytest's own, which other processes tidy up."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module", params=[True, False], ids=["namespaces", "plain"])
def judge(request: pytest.FixtureRequest) -> Iterator[RemoteJudge]:
    limits = {"check_seconds": paced(6.0), "file_seconds": 8.0, **BRIEF}
    with RemoteJudge(trail=False, repair_seconds=0.0) as thorough:  # what it finds out is remembered
        thorough.grade("softmax", HOSTILE / "tensor_subclass.py")
    with RemoteJudge(namespaces=request.param, **limits) as judge:
        judge.namespaces, judge.limits = request.param, limits
        yield judge


@pytest.fixture(scope="module")
def hasty_judge(judge: RemoteJudge) -> Iterator[RemoteJudge]:
    """One that gives up soon, for what never ends."""
    limits = {"check_seconds": paced(1.5), "file_seconds": 2.0, **BRIEF}
    with RemoteJudge(namespaces=judge.namespaces, **limits) as hasty:
        yield hasty


@pytest.fixture(scope="module")
def letting_judge(judge: RemoteJudge) -> Iterator[RemoteJudge]:
    with LettingJudge(namespaces=judge.namespaces, **judge.limits) as letting:
        yield letting


@pytest.fixture(scope="module", autouse=True)
def project_stays_as_it_was() -> Iterator[None]:
    before = [fingerprint(PROJECT / folder) for folder in ("exercises", "solutions")]
    yield
    assert [fingerprint(PROJECT / folder) for folder in ("exercises", "solutions")] == before


def grade(judge: RemoteJudge, source: Path, folder: Path) -> Verdict:
    text = source.read_text().replace("SOLUTIONS", str(PROJECT / "solutions"))
    path = folder / source.name
    path.write_text(text.replace("VICTIM", str(folder / "victim")))
    return judge.grade("softmax", path)


def fingerprint(root: Path) -> str:
    """All files below the folder, with their contents."""
    digest = hashlib.sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        digest.update(f"{path}:{path.stat().st_mtime_ns}".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def said(verdict: Verdict) -> str:
    return "\n".join([verdict.message or "", *(check.message for check in verdict.checks)])


@pytest.mark.one_way_a_day("judge")
@pytest.mark.parametrize("name, outcome, sentence", CASES, ids=[case[0] for case in CASES])
def test_hostile_files_are_contained(request, judge, folder, name, outcome, sentence):
    victim = folder / "victim"
    (victim / "exercises").mkdir(parents=True, exist_ok=True)
    (victim / "README.md").write_text("the victim")
    (victim / "exercises" / "softmax.py").write_text("an answer")
    before = fingerprint(victim)
    if name in THROUGH_C:
        judge = request.getfixturevalue("letting_judge")
    elif outcome == "timeout":
        judge = request.getfixturevalue("hasty_judge")
    verdict = grade(judge, HOSTILE / f"{name}.py", folder)
    assert verdict.outcome is Outcome(outcome), said(verdict)
    assert sentence in said(verdict)
    assert verdict.diagnosis is None
    assert fingerprint(victim) == before
    assert_nothing_left(judge)


def test_a_known_mistake_is_named_in_the_time_that_hostile_files_have(judge, folder):
    verdict = grade(judge, TESTS / "golden" / "softmax" / "mistake.py", folder)
    assert verdict.diagnosis is not None, said(verdict)


@pytest.mark.one_way_a_day("judge")
@pytest.mark.parametrize("name", sorted(THROUGH_C))
def test_c_is_out_of_reach(judge, folder, name):
    verdict = grade(judge, HOSTILE / f"{name}.py", folder)
    assert verdict.outcome is Outcome.FORBIDDEN, said(verdict)


def assert_nothing_left(judge: RemoteJudge) -> None:
    """Below the server are only the two processes that workers are forked from (for NumPy and for torch),
    their next workers and the one that is ready for the topic, as soon as it is: these have loaded nothing,
    each with the process around it and an empty folder.
    """
    judge.grade("softmax", HOSTILE / "missing.py")  # asked for when the one that is ready was begun
    server = psutil.Process(judge.pid)
    zygotes = server.children()
    assert len(zygotes) == 2
    deadline = time.monotonic() + 30
    while (below := [_below(zygote) for zygote in zygotes]) not in ([[1], [1, 1]], [[1, 1], [1]]):
        assert time.monotonic() < deadline, below
        time.sleep(0.01)
    assert wait_for_empty_folders(judge.pid) == 3


def _below(process: psutil.Process) -> list[int]:
    """How many processes are below each of its children."""
    with contextlib.suppress(psutil.NoSuchProcess):  # some only help others to start
        return [len(child.children(recursive=True)) for child in process.children()]
    return []


def test_every_hostile_file_is_tried():
    assert {path.stem for path in HOSTILE.glob("*.py")} == {name for name, _, _ in CASES}


@pytest.mark.parametrize("name", sorted(path.stem for path in HARMLESS.glob("*.py")))
def test_odd_habits_of_right_answers_pass(folder, judge, name):
    verdict = grade(judge, HARMLESS / f"{name}.py", folder)
    assert verdict.outcome is Outcome.PASSED, said(verdict)
    assert_nothing_left(judge)


def test_output_is_cut_and_clean(judge, folder):
    verdict = grade(judge, HARMLESS / "prints_much.py", folder)
    assert len(verdict.output) < 10_000
    verdict = grade(judge, HOSTILE / "terminal_escapes.py", folder)
    assert "\x1b" not in verdict.output + said(verdict) and "owned" not in verdict.output


def test_output_is_shown_after_a_timeout(hasty_judge, folder):
    assert "round and round" in grade(hasty_judge, HOSTILE / "endless_loop.py", folder).output


def test_checks_before_a_timeout_keep_their_results(hasty_judge, folder):
    path = folder / "loops_later.py"
    path.write_text(
        (HARMLESS / "sleeps.py").read_text()
        + "\n\ndef log_softmax(x, dim=-1):\n    while True:\n        pass\n"
    )
    outcomes = [check.outcome for check in hasty_judge.grade("softmax", path).checks]
    assert outcomes[0] is Outcome.TIMEOUT
    assert Outcome.NOT_RUN in outcomes


class TestUnreadable:
    """Files that are no text of Python, each with a sentence."""

    def check(self, judge: RemoteJudge, path: Path, sentence: str) -> None:
        verdict = judge.grade("softmax", path)
        assert verdict.outcome is Outcome.UNREADABLE
        assert sentence in (verdict.message or "")

    def test_missing(self, judge, folder):
        self.check(judge, folder / "nowhere.py", "There is no such file.")

    def test_folder(self, judge, folder):
        self.check(judge, folder, "This is a folder")

    def test_pipe(self, judge, folder):
        path = folder / "pipe.py"
        os.mkfifo(path)
        self.check(judge, path, "not a regular file")
        path.unlink()

    def test_dangling_link(self, judge, folder):
        path = folder / "link.py"
        path.symlink_to(folder / "nowhere.py")
        self.check(judge, path, "a link that leads nowhere")
        path.unlink()

    @pytest.mark.parametrize(
        "data, sentence",
        [
            (b"x = 1\0", "NUL byte at position 5"),
            (b"x = 1\ny = '\xff'\n", "line 2 has the byte 0xff"),
            (b"# coding: ascii\ny = '\xff'\n", "The file is not ASCII: line 2 has the byte 0xff"),
            (b"# coding: klingon\n", "unknown encoding: klingon"),
            (b"# coding: rot13\n", "'rot13' is not a text encoding"),
            (b"# coding: punycode\n" + b"x" * 2**19, "unknown encoding: punycode"),
            (b"# coding: utf-7\n+AAA-\n", "NUL character"),
            (b"# coding: unicode_escape\n# \\ud800\n", "cannot be read as unicode_escape"),
            (b"\xef\xbb\xbf# coding: latin-1\n", "The file is not Python"),
            (b"#" * 2**20 + b"\n", "larger than 1 MiB"),
            (b"def softmax(x:\n    return x\n", "line 1"),
            (b"?x = 1\n", f"The file is not Python 3.{sys.version_info[1]}: invalid syntax, line 1"),
            (b"(" * 100_000, "The file is not Python"),
            (b"x = " + b"-" * 200_000 + b"1", "The file is not Python"),
        ],
        ids=[
            *["nul", "latin-1", "ascii", "unknown", "no-text", "slow", "hidden-nul", "surrogate", "two-ways"],
            *["large", "syntax", "version", "parentheses", "deep"],
        ],
    )
    def test_content(self, judge, folder, data, sentence):
        path = folder / "content.py"
        path.write_bytes(data)
        self.check(judge, path, sentence)

    @pytest.mark.parametrize("change", [lambda d: b"\xef\xbb\xbf" + d, lambda d: d.replace(b"\n", b"\r\n")])
    def test_byte_order_mark_and_windows_line_ends_are_fine(self, judge, folder, change):
        path = folder / "windows.py"
        path.write_bytes(change((HARMLESS / "warns.py").read_bytes()))
        assert judge.grade("softmax", path).passed

    @pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "koi8-u"])
    def test_an_encoding_that_the_file_names_is_its_own(self, judge, folder, encoding):
        path = folder / "named.py"
        text = f"# -*- coding: {encoding} -*-\n# caf\u00a9\n{(HARMLESS / 'warns.py').read_text()}"
        text += "\nassert len('\u00a9') == 1\n"
        path.write_bytes(text.encode(encoding))
        assert judge.grade("softmax", path).passed
