"""What a command imports: an import diet."""

import subprocess
import sys
from pathlib import Path

import pytest
from driving import PROJECT

# Imports

HEAVY = {"torch", "numpy", "pytest"}


def imported(*arguments: str, root: Path = PROJECT) -> set[str]:
    """The modules that a run of Python imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], cwd=root, capture_output=True, text=True
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["list"],
        ["next"],
        ["history"],
        ["hint", "softmax"],
        ["solution", "softmax", "--yes"],
        ["reset", "softmax"],
        ["check", "softmx"],
        ["check", "softmax"],  # as it was handed out
        ["check", "softmax", "--file", "missing.py"],
        ["watch", "softmx"],
        ["edit", "softmx"],
        ["stats"],
        ["init", "practice"],
        ["quiz"],
        ["quiz", "--chapter", "losses"],
        ["export"],
        ["import", "missing.jsonl"],
        ["check", "--help"],
        ["grade", "--help"],
        ["gradescope", "softmax"],
    ],
    ids=" ".join,
)
def test_diet(project: Path, arguments: list[str]) -> None:
    modules = imported("-m", "grader", *arguments, root=project)
    assert "grader.curriculum.catalog" in modules
    assert modules & HEAVY == set()


@pytest.mark.parametrize("module", ["numpy", "pytest"])
def test_the_diet_is_seen_to_be_broken(module: str) -> None:
    assert module in imported("-c", f"import {module}")
