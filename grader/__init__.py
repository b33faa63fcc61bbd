"""Practise transformer components from memory, graded on your own machine."""

from typing import Any

VERSION = "0.1.0"


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext grader`: the magics `%%check`, `%hint` and `%solution`."""
    from grader.notebooks.magics import register

    register(shell)
