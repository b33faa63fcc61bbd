"""Statements that do nothing are found, and none that do something."""

import textwrap

import pytest

from grader.judge.trail.text.idle import idle_lines, open_lines
from grader.judge.trail.text.tables import table_line


def lines(function, body):
    return list(function("def f(x, mask):\n" + textwrap.indent(textwrap.dedent(body), "    ")))


@pytest.mark.parametrize(
    "statement",
    ["x", "x.grad", "optimizer.step", "x * 2", "-x", "x[0]", "x == 1", "x.masked_fill(mask, 0)", "x.triu(1)"],
)
def test_what_is_thrown_away_is_idle(statement):
    assert lines(idle_lines, f"y = 1\n{statement}\nreturn y") == [3]


@pytest.mark.parametrize(
    "statement",
    [
        *("x.masked_fill_(mask, 0)", "seen.add(x)", "model.to(x)", "model.float()", "optimizer.step()"),
        *("print(x)", "'a text'", "...", "x += 1", "x[0] = 1", "yield x", "parts.append(x)", "f(x)"),
    ],
)
def test_what_does_something_is_not(statement):
    assert lines(idle_lines, f"y = 1\n{statement}\nreturn y") == []


def test_a_place_is_open_beside_other_statements_or_under_a_condition():
    body = "if mask:\n    pass\nelse:\n    x = 1\npass\nreturn x"
    assert lines(open_lines, body) == [3, 6]


@pytest.mark.parametrize(
    "body",
    ["pass", "try:\n    y()\nexcept ValueError:\n    pass", "for _ in x:\n    pass", "class A:\n    pass"],
)
def test_a_pass_that_has_to_be_there_is_none(body):
    assert lines(open_lines, body) == []


TABLE = "NAMES = (\n    *(-1.0, 0.25),\n    *(0.5, 4),\n)\n"


def test_a_table_of_other_numbers_is_found_by_its_line():
    assert table_line({"NAMES"}, TABLE, TABLE.replace("0.5", "0.6")) == 3
    assert table_line({"NAMES"}, TABLE, TABLE.replace("-1.0", "1.0")) == 2
    assert table_line({"LEVELS"}, TABLE, TABLE.replace("NAMES", "LEVELS").replace("4", "5")) == 3


@pytest.mark.parametrize(
    "own",
    [TABLE, TABLE.replace("4", "4, 5"), "NAMES = [2, 3, 4, 5]", "NAMES = 3", "def f(): NAMES = 1, 2, 3, 4"],
)
def test_a_right_table_and_another_one_say_nothing(own):
    assert table_line({"NAMES"}, TABLE, own) is None


def test_a_table_that_the_line_does_not_read_says_nothing():
    assert table_line({"x"}, TABLE, TABLE.replace("0.5", "0.6")) is None
