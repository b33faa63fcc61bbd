"""Writes into the project."""

from pathlib import Path


def softmax(x, dim=-1):
    Path("VICTIM/README.md").write_text("mine")
    return x


log_softmax = softmax
