"""The Makefile: what each command calls, what it says where something is missing, when it sets up .venv."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from driving import PROJECT

COMMANDS = [
    "list",
    "next",
    "check",
    "watch",
    "edit",
    "drill",
    "mock",
    "quiz",
    "hint",
    "solution",
    "compare",
    "history",
    "restore",
    "reset",
    "stats",
    "report",
    "notebook",
    "notebooks",
    "export",
    "import",
    "update",
    "new",
    "stubs",
    "notebooks-clean",
    "readme",
    "bench",
    "test",
    "lint",
]

# Stands for .venv/bin/python: writes down each call, and plays pip, which fails or waits if a file says so.
RECORDER = f"""\
#!{sys.executable} -S
import json, os, sys, time
with open("calls", "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1:4] == ["-m", "pip", "install"]:
    time.sleep(float(os.environ.get("PIP_TAKES", 0)))
    sys.exit(int(os.environ.get("PIP_STATUS", 0)))
sys.exit(1 if "unsolved" in sys.argv else 0)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is set up, with a recorder in the place of Python."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(PROJECT / name, tmp_path / name)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(RECORDER, encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / ".venv" / "installed").touch()
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHON": sys.executable, **more}


def make(project: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=project, env=environment(**variables), capture_output=True, text=True, timeout=60
    )


def calls(project: Path) -> list[list[str]]:
    """What the recorder was called with, without `-m grader`."""
    recorded = [json.loads(line) for line in (project / "calls").read_text(encoding="utf-8").splitlines()]
    return [call[2:] if call[:2] == ["-m", "grader"] else call for call in recorded]


def make_stale(project: Path) -> None:
    os.utime(project / ".venv" / "installed", (0, 0))


def test_make_alone_lists_every_command_and_runs_nothing(project):
    run = make(project)
    listed = [line.split()[1] for line in run.stdout.splitlines() if line.startswith("  make ")]
    assert listed == COMMANDS
    assert run.returncode == 0
    assert not (project / "calls").exists()


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["list"], ["list"]),
        (["check"], ["check"]),
        (["check", "topic="], ["check"]),
        (["check", "topic=gqa", "args=--file 'my answer.py'"], ["check", "gqa", "--file", "my answer.py"]),
        (["hint", "topic=gqa"], ["hint", "gqa"]),
        (["notebook", "topic=gqa", "args=--no-open"], ["notebook", "gqa", "--no-open"]),
        (["notebooks-clean", "args=--check"], ["notebooks-clean", "--check"]),
        (["hint", "topic=gqa", "level=2"], ["hint", "gqa", "--level", "2"]),
        (["watch"], ["watch"]),
        (["watch", "topic=gqa"], ["watch", "gqa"]),
        (["edit", "topic=gqa"], ["edit", "gqa"]),
        (["drill"], ["drill"]),
        (["drill", "topic=gqa", "minutes=9", "level=empty"],
         ["drill", "gqa", "--minutes", "9", "--level", "empty"]),
        (["mock"], ["mock"]),
        (["mock", "minutes=9", "count=2", "chapter=losses", "seed=7"],
         ["mock", "--minutes", "9", "--count", "2", "--chapter", "losses", "--seed", "7"]),
        (["quiz"], ["quiz"]),
        (["quiz", "topic=gqa"], ["quiz", "gqa"]),
        (["quiz", "chapter=losses"], ["quiz", "--chapter", "losses"]),
        (["next"], ["next"]),
        (["solution", "topic=gqa"], ["solution", "gqa"]),
        (["solution", "topic=gqa", "yes=1"], ["solution", "gqa", "--yes"]),
        (["compare", "topic=gqa"], ["compare", "gqa"]),
        (["history"], ["history"]),
        (["history", "topic=gqa"], ["history", "gqa"]),
        (["restore", "topic=gqa", "attempt=7"], ["restore", "gqa", "7"]),
        (["reset", "topic=gqa"], ["reset", "gqa"]),
        (["update"], ["update"]),
        (["stats"], ["stats"]),
        (["report"], ["report"]),
        (["export"], ["export"]),
        (["export", "file=my progress.jsonl"], ["export", "my progress.jsonl"]),
        (["import", "file=my progress.jsonl"], ["import", "my progress.jsonl"]),
        (["new", "topic=gqa", "chapter=attention"], ["new", "gqa", "--chapter", "attention"]),
        (["stubs"], ["stubs"]),
        (["readme"], ["readme"]),
        (["bench"], ["bench"]),
        (["test", "args=-k gqa"], ["-m", "pytest", "-q", "-n", "2", "-k", "gqa"]),
    ],
)  # fmt: skip
def test_a_command_calls_the_program(project, arguments, call):
    run = make(project, *arguments)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert calls(project) == [call]


@pytest.mark.parametrize(
    "topic", ["a b", "'", '"', "; touch spoilt", "`touch spoilt`", "$(shell touch spoilt)", "$$HOME\n#"]
)
def test_a_topic_is_passed_on_as_it_is_typed(project, topic):
    make(project, "check", f"topic={topic}")
    assert calls(project) == [["check", topic]]
    assert not (project / "spoilt").exists()


def test_a_verdict_that_is_not_passed_fails_make(project):
    assert make(project, "check", "topic=unsolved").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "example"),
    [
        (["edit"], "which topic? For example: make edit topic=gqa"),
        (["hint"], "which topic? For example: make hint topic=gqa"),
        (["solution", "topic="], "which topic? For example: make solution topic=gqa"),
        (["reset", "topic= "], "which topic? For example: make reset topic=gqa"),
        (["restore", "topic=gqa"], "which attempt? make history topic=gqa lists them"),
        (["import"], "which file? For example: make import file=progress.jsonl"),
        (["new", "topic=gqa"], "which topic and chapter? For example: make new topic=gqa chapter=attention"),
    ],
)
def test_a_forgotten_topic_says_how_to_call_in_one_line(project, arguments, example):
    run = make(project, *arguments)
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert example in run.stderr
    assert not (project / "calls").exists()


def test_no_python_at_all(project, tmp_path):
    make_stale(project)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "make").symlink_to(shutil.which("make") or "make")
    run = make(project, "list", PATH=str(tools), PYTHON="")
    assert run.returncode == 2
    assert run.stderr.splitlines()[0] == (
        "byheart needs Python 3.11 or newer. Install it, or say where it is: "
        "make list PYTHON=/path/to/python3"
    )


def test_a_python_that_is_too_old(project):
    make_stale(project)
    old = project / "old python"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    assert "needs Python 3.11 or newer" in make(project, "list", f"PYTHON={old}").stderr


@pytest.mark.parametrize("changed", ["pyproject.toml", "constraints.txt"])
def test_a_change_of_what_is_needed_installs_once(project, changed):
    os.utime(project / ".venv" / "installed", (time.time() - 60,) * 2)
    (project / changed).touch()
    run = make(project, "list")
    assert run.stderr == "Setting up .venv (once, about a minute) ...\n"
    assert calls(project)[1:] == [["-m", "pip", "install", "-e", ".[dev]", "-c", "constraints.txt"], ["list"]]
    assert make(project, "list").stderr == ""


def test_a_failed_installation_says_what_to_do_and_is_repeated(project):
    make_stale(project)
    run = make(project, "list", PIP_STATUS="1")
    assert run.returncode == 2
    assert run.stderr.splitlines()[1] == (
        "Setting up failed: check the network and the space on disk, then run make again. See .venv.log"
    )
    assert (project / ".venv.log").exists()
    assert not (project / ".venv" / "installed").exists()
    assert make(project, "list").returncode == 0


def test_an_interrupted_installation_is_repeated(project):
    make_stale(project)
    running = subprocess.Popen(
        ["make", "list"],
        cwd=project,
        env=environment(PIP_TAKES="30"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (project / "calls").exists() or len(calls(project)) < 2:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=20)
    assert "Interrupted; the next make sets up again.\n" in said
    assert not (project / ".venv" / "installed").exists()
    assert make(project, "list").stderr.startswith("Setting up")
    assert (project / ".venv" / "installed").exists()


def test_two_terminals_install_once(project):
    make_stale(project)
    command = ["make", "list"]
    running = [
        subprocess.Popen(
            command, cwd=project, env=environment(PIP_TAKES="0.5"), stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = sorted(process.communicate(timeout=60)[1] for process in running)
    assert said == [
        "Another make is setting up .venv: waiting for it ...\n",
        "Setting up .venv (once, about a minute) ...\n",
    ]
    assert [call for call in calls(project) if "pip" in call] == [
        ["-m", "pip", "install", "-e", ".[dev]", "-c", "constraints.txt"]
    ]
