"""Imports the solution by name."""

import sys


def softmax(x, dim=-1):
    sys.path.insert(0, "VICTIM")
    from solutions.foundations import softmax as reference

    return reference.softmax(x, dim)


log_softmax = softmax
