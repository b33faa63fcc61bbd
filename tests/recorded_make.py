"""A project whose Python only writes down how it is called, to see what the Makefile does."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from driving import PROJECT

# Stands for .venv/bin/python: writes down each call, and plays pip, as variables say.
RECORDER = f"""\
#!{sys.executable} -S
import json, os, sys, time
with open("calls", "a") as calls:
    calls.write(json.dumps(sys.argv[1:]) + "\\n")
if sys.argv[1:3] == ["-m", "pip"]:
    if sys.argv[3] == "config":
        print(os.environ.get("PIP_SAYS", ""))
    elif sys.argv[-1] != "--help":
        print("Collecting torch==2.13.0\\n  Downloading torch-2.13.0.whl (526.6 MB)", flush=True)
        time.sleep(float(os.environ.get("PIP_TAKES", 0)))
        sys.exit(int(os.environ.get("PIP_STATUS", 0)))
sys.exit(1 if "unsolved" in sys.argv or "find_spec" in sys.argv[-1] else 0)
"""

PIP = ["-m", "pip", "install", "-e", ".[dev]", "-c", "constraints.txt"]
COMPILE = ["-m", "compileall", "-q", "grader"]
SETTING_UP = "grader/commands/upkeep/setting_up.py"


def recorded_project(root: Path) -> Path:
    """A project that is set up, with a recorder in the place of Python."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt", SETTING_UP):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, root / name)
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    write_program(python, RECORDER)
    (root / ".venv" / "installed").touch()
    return root


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHON": sys.executable, **more}


def make(project: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
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
