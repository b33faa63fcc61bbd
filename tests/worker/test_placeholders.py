"""A NotImplementedError that stands for missing code, and one that finished code raises."""

import pytest

from grader.worker.answering.placeholders import is_placeholder

STUB = """
def loss(x, reduction):
    raise NotImplementedError  # here
"""
HALF_WRITTEN = """
def loss(x, reduction):
    if reduction not in ("mean", "sum"):
        raise ValueError(reduction)
    losses = x.square()
    raise NotImplementedError("the rest")  # here
"""
BLANK = """
def loss(x, reduction):
    if reduction == "none":
        return x
    if reduction == "sum":
        raise NotImplementedError  # fill in one statement
    return x.mean()
"""
IN_A_LOOP = """
class Attention:
    def forward(self, x):
        for block in x:
            raise NotImplementedError  # here
"""
BEHIND_RETURNS = """
def loss(x, reduction):
    if reduction == "none":
        return x
    raise NotImplementedError(reduction)  # here
"""
IN_A_BRANCH = """
def loss(x, reduction):
    if reduction == "none":
        losses = x
    else:
        raise NotImplementedError(reduction)  # here
    return losses
"""
IN_A_CASE = """
def loss(x, reduction):
    match reduction:
        case "none":
            return x
        case _:
            raise NotImplementedError  # here
"""


def judged(text: str) -> bool:
    lines = text.splitlines()
    return is_placeholder(lines, 1 + next(i for i, line in enumerate(lines) if "#" in line))


@pytest.mark.parametrize("text", [STUB, HALF_WRITTEN, BLANK, IN_A_LOOP])
def test_stands_for_missing_code(text):
    assert judged(text)


@pytest.mark.parametrize("text", [BEHIND_RETURNS, IN_A_BRANCH, IN_A_CASE])
def test_is_raised_by_finished_code(text):
    assert not judged(text)
