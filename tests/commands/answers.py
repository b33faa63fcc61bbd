"""Answers to check by a command."""

from pathlib import Path

from driving import PROJECT

PASSED, NOT_PASSED, WRONG_USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130
RIGHT = (PROJECT / "tests/golden/softmax/solved.py").read_text(encoding="utf-8")


def exercise(root: Path, name: str = "foundations/softmax") -> Path:
    return root / "exercises" / f"{name}.py"
