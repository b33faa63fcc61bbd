"""A verdict names the line that was running when the time was over."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import TESTS

from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome
from grader.judge.workers.client import Program

SECONDS = 1.0
LIMIT = r"[1-4](\.\d)?"
"""They are more where many work on the machine."""
LOOP = """\
import time

def {one}(x, dim=-1):
    return endless(x)

def {other}(x, dim=-1):
    {line}

def endless(x):
    while True:
        {line}
"""


@pytest.fixture(scope="module")
def hasty() -> Iterator[RemoteJudge]:
    with RemoteJudge(check_seconds=SECONDS, file_seconds=1.5 * SECONDS) as judge:
        yield judge


@pytest.mark.parametrize(
    "line", ["time.sleep(60)", "print(x)", "x = x + 1", "x.abs()"], ids=["sleep", "print", "sum", "call"]
)
def test_an_endless_loop_is_named_with_its_line(hasty: RemoteJudge, tmp_path: Path, line: str) -> None:
    answer = tmp_path / "softmax.py"
    answer.write_text(LOOP.format(one="softmax", other="log_softmax", line=line))
    check, *_ = hasty.grade("softmax", answer).checks
    assert check.outcome is Outcome.TIMEOUT
    head, _, quoted = check.message.partition("\n")
    assert re.search(rf"stopped after {LIMIT} s: an endless loop\?$", head)
    assert quoted in ("  line 10:  while True:", f"  line 11:  {line}")


@pytest.mark.parametrize("fork", [True, False], ids=["forked", "spawned"])
def test_so_is_an_endless_import(fork: bool, tmp_path: Path) -> None:
    answer = tmp_path / "softmax.py"
    answer.write_text("number = 0\nwhile number >= 0:\n    number += 1\n")
    with RemoteJudge(fork=fork, check_seconds=SECONDS) as judge:
        message = judge.grade("softmax", answer).message
    assert message and re.match(
        rf"Importing the file takes more than {LIMIT} s: an endless loop\?\n  line ", message
    )


def test_who_takes_the_alarm_away_is_stopped_all_the_same(hasty: RemoteJudge) -> None:
    check, *_ = hasty.grade("softmax", TESTS / "hostile" / "stubborn_loop.py").checks
    assert check.outcome is Outcome.TIMEOUT
    assert "line" not in check.message


@pytest.mark.parametrize("told", [b"", b"0", b"3", b"-1", b"1.5", b"\xff", "²".encode(), b"9" * 5000])
def test_a_line_that_is_none_is_not_believed(told: bytes) -> None:
    program = Program("a = 1\n  b = 2", "answer.py", "softmax")
    assert program.position(told) is None
    assert program.position(b"2") == [2, "b = 2"]
