"""The commands as one calls them: exit status, what is printed where, what is written, what is imported."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from grader.catalog import PROJECT
from grader.judge.verdict import Verdict

PASSED, NOT_PASSED, WRONG_USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
RIGHT = (PROJECT / "tests/golden/softmax/solved.py").read_text(encoding="utf-8")
WRONG = (PROJECT / "tests/golden/softmax/nan.py").read_text(encoding="utf-8")
ENDLESS = RIGHT + "\nwhile True:\n    pass\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project whose exercises are blank."""
    for folder in ("grader", "solutions"):
        shutil.copytree(PROJECT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    assert byheart(tmp_path, "stubs").returncode == PASSED
    return tmp_path


def command(*arguments: str, python: tuple[str, ...] = ()) -> list[str]:
    return [sys.executable, *python, "-m", "grader", *arguments]


def byheart(root: Path, *arguments: str, python: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run a command in the project in `root`: `-m` finds what stands in the current directory first."""
    return subprocess.run(
        command(*arguments, python=python), cwd=root, capture_output=True, text=True, timeout=120
    )


def exercise(root: Path, name: str = "foundations/softmax") -> Path:
    return root / "exercises" / f"{name}.py"


# Commands that start torch


def test_check_in_json(project: Path) -> None:
    (project / "answer.py").write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "check", "softmax", "--file", "answer.py", "--json")
    assert (done.returncode, done.stderr) == (PASSED, "")
    verdict = Verdict.from_json(done.stdout)
    assert (verdict.topic, verdict.file, verdict.passed) == ("softmax", "answer.py", True)
    assert not (project / ".practice").exists()


def test_check_what_is_started(project: Path) -> None:
    exercise(project).write_text(WRONG, encoding="utf-8")
    shutil.copy(project / "solutions/attention/gqa.py", exercise(project, "attention/gqa"))
    exercise(project, "attention/mha").write_text("", encoding="utf-8")
    done = byheart(project, "check")
    assert (done.returncode, done.stderr) == (NOT_PASSED, "")
    assert "  FAIL  " in done.stdout and "exercises/foundations/softmax.py" in done.stdout
    assert "\n  pass  gqa  Grouped-query attention\n" in done.stdout
    assert done.stdout.endswith("1 of 2 started topics passed. Not yet: softmax\n")
    lines = byheart(project, "check", "--json").stdout.splitlines()
    assert [json.loads(line)["passed"] for line in lines] == [False, True]


def test_interrupting_leaves_one_line_and_no_process(tmp_path: Path) -> None:
    answer = tmp_path / "answer.py"
    answer.write_text(ENDLESS, encoding="utf-8")
    check = subprocess.Popen(
        command("check", "softmax", "--file", str(answer)),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = wait_for_children(check.pid)
    os.killpg(check.pid, signal.SIGINT)
    out, err = check.communicate(timeout=20)
    assert (check.returncode, out, err) == (INTERRUPTED, "", "interrupted\n")
    assert psutil.wait_procs(children, timeout=5)[1] == []


def wait_for_children(pid: int) -> list[psutil.Process]:
    """The processes below one, as soon as a worker is among them and busy."""
    latest = time.monotonic() + 60
    while time.monotonic() < latest:
        children = psutil.Process(pid).children(recursive=True)
        if any(child.cpu_times().user > 0.3 for child in children):
            return children
        time.sleep(0.05)
    raise AssertionError("no worker was started")


# Wrong usage


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["check", "softmx"], "closest: softmax"),
        (["hint", "softmx"], "closest: softmax"),
        (["reset", "nothing_like_it"], "no topic 'nothing_like_it'"),
        (["check", "--file", "answer.py"], "--file needs a topic"),
        (["check", "softmax", "--jsn"], "No such option"),
        (["hint", "softmax", "--level", "4"], "--level"),
        (["hint", "softmax", "--level", "0"], "--level"),
        (["chekc"], "check"),
        (["new", "softmax", "--chapter", "foundations"], "a topic softmax already"),
    ],
)
def test_wrong_usage(arguments: list[str], told: str) -> None:
    done = byheart(PROJECT, *arguments)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_windows_is_refused() -> None:
    code = (
        "import types, grader.__main__, grader.cli\n"
        "grader.cli.sys = types.SimpleNamespace(platform='win32')\n"
        "grader.__main__.main()"
    )
    check = [sys.executable, "-c", code, "check", "softmax"]
    done = subprocess.run(check, cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (WRONG_USAGE, "")
    assert "use WSL" in done.stderr


# Commands that answer in a blink


def test_list_shows_what_is_started(project: Path) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    done = byheart(project, "list")
    states = {line.split()[0]: line.split()[-1] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert (done.returncode, states.pop("softmax")) == (PASSED, "started")
    assert set(states.values()) == {"new"}


def test_check_without_anything_started(project: Path) -> None:
    done = byheart(project, "check")
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    assert "make check topic=softmax" in done.stderr


def test_hint() -> None:
    done = byheart(PROJECT, "hint", "softmax", "--level", "2")
    assert done.returncode == PASSED
    assert "hint 2 of 3" in done.stdout
    assert done.stdout.endswith("Next: make hint topic=softmax level=3\n")
    assert "hint 1 of 3" in byheart(PROJECT, "hint", "softmax").stdout


def test_solution_is_printed_as_it_is() -> None:
    done = byheart(PROJECT, "solution", "softmax")
    assert done.stdout == (PROJECT / "solutions/foundations/softmax.py").read_text(encoding="utf-8")


def test_stubs(project: Path) -> None:
    assert byheart(project, "stubs", "--check").returncode == PASSED
    assert byheart(project, "stubs").stdout == "All is up to date.\n"
    exercise(project).unlink()
    stale = byheart(project, "stubs", "--check")
    assert (stale.returncode, stale.stdout) == (NOT_PASSED, "")
    assert "  exercises/foundations/softmax.py\n" in stale.stderr
    assert byheart(project, "stubs").stdout == "wrote exercises/foundations/softmax.py\n"


def test_new_topic(project: Path) -> None:
    done = byheart(project, "new", "my_own_norm", "--chapter", "normalization")
    assert done.returncode == PASSED
    assert "wrote solutions/normalization/my_own_norm.py\n" in done.stdout


# Resetting


def test_reset_saves_what_was_there(project: Path) -> None:
    stub = exercise(project).read_bytes()
    answer = b"# mine, and no UTF-8: \xff\r\n"
    exercise(project).write_bytes(answer)
    done = byheart(project, "reset", "softmax")
    (saved,) = (project / ".practice/saved/softmax").iterdir()
    assert done.returncode == PASSED
    assert f"{saved.relative_to(project)}\n" in done.stdout
    assert (saved.read_bytes(), exercise(project).read_bytes()) == (answer, stub)


@pytest.mark.parametrize("text", [None, "", "\n\n"])
def test_reset_of_nothing_saves_nothing(project: Path, text: str | None) -> None:
    stub = exercise(project).read_text(encoding="utf-8")
    exercise(project).unlink()
    if text is not None:
        exercise(project).write_text(text, encoding="utf-8")
    for _ in range(2):
        assert byheart(project, "reset", "softmax").returncode == PASSED
        assert exercise(project).read_text(encoding="utf-8") == stub
    assert not (project / ".practice").exists()


def test_reset_of_a_read_only_exercise(project: Path) -> None:
    exercise(project).write_text(RIGHT, encoding="utf-8")
    exercise(project).chmod(0o444)
    assert byheart(project, "reset", "softmax").returncode == PASSED
    assert "NotImplementedError" in exercise(project).read_text(encoding="utf-8")


def test_reset_that_is_impossible_says_so_in_a_sentence(project: Path) -> None:
    exercise(project).unlink()
    exercise(project).mkdir()
    done = byheart(project, "reset", "softmax")
    assert (done.returncode, done.stdout) == (NOT_PASSED, "")
    assert done.stderr.startswith("exercises/foundations/softmax.py cannot be reset: ")
    assert len(done.stderr.splitlines()) == 1


# Faults, and outputs that are gone


def test_a_fault_of_ours_shows_its_traceback(project: Path) -> None:
    (project / "grader/catalog.toml").write_text("chapters = 1", encoding="utf-8")
    done = byheart(project, "list")
    assert (done.returncode, done.stdout) == (FAULT, "")
    assert "Traceback" in done.stderr and "grader/catalog.toml: chapters:" in done.stderr


@pytest.mark.parametrize("arguments", [["list"], ["hint", "softmax"], ["solution", "softmax"]])
def test_a_reader_that_has_seen_enough_is_no_fault(arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command(*arguments), cwd=PROJECT, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode in (PASSED, NOT_PASSED), done.stderr) == (True, "")


def test_closed_output_is_no_fault() -> None:
    shell = f'"{sys.executable}" -m grader list >&-'
    done = subprocess.run(shell, shell=True, cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (PASSED, "")


def test_a_full_disk_is_a_fault() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(command("hint", "softmax"), cwd=PROJECT, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == FAULT


# Imports

HEAVY = {"torch", "numpy", "pytest"}


def imported(*arguments: str) -> set[str]:
    """The modules that a run of Python imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], cwd=PROJECT, capture_output=True, text=True
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["list"],
        ["hint", "softmax"],
        ["solution", "softmax"],
        ["check", "softmx"],
        ["check", "--help"],
    ],
    ids=" ".join,
)
def test_diet(arguments: list[str]) -> None:
    modules = imported("-m", "grader", *arguments)
    assert "grader.catalog" in modules
    assert modules & HEAVY == set()


@pytest.mark.parametrize("module", ["numpy", "pytest"])
def test_the_diet_is_seen_to_be_broken(module: str) -> None:
    assert module in imported("-c", f"import {module}")
