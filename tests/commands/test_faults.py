"""Faults of ours, and outputs that are gone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands.answers import FAULT, NOT_PASSED, PASSED
from driving import PROJECT, byheart, command


def test_a_fault_of_ours_shows_its_traceback(project: Path) -> None:
    (project / "grader/catalog.toml").write_text("chapters = 1", encoding="utf-8")
    done = byheart(project, "list")
    assert (done.returncode, done.stdout) == (FAULT, "")
    assert "Traceback" in done.stderr and "grader/catalog.toml: chapters:" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["list"], ["history"], ["hint", "softmax"], ["solution", "softmax", "--yes"]]
)
def test_a_reader_that_has_seen_enough_is_no_fault(project: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command(*arguments), cwd=project, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode in (PASSED, NOT_PASSED), done.stderr) == (True, "")


def test_closed_output_is_no_fault() -> None:
    shell = f'"{sys.executable}" -m grader list >&-'
    done = subprocess.run(shell, shell=True, cwd=PROJECT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (PASSED, "")


def test_a_full_disk_is_a_fault(project: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(command("hint", "softmax"), cwd=project, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == FAULT
