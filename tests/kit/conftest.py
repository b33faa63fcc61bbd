"""A submission for the kit to ask."""

import pytest
from kit.answers import TEXT

from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess
from grader.kit import (
    Submission,
)


@pytest.fixture(scope="module")
def answer() -> Submission:
    return Submission(InProcess(Program(TEXT, "answer.py", "answer")))
