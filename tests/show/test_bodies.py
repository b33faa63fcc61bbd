"""An answer's bodies beside the reference's."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from grader.show.verdicts.bodies import Line, aligned, bodies, bodies_text

OWN = '''"""Mine."""
import torch


def relu(x):
    """The contract."""
    zero = torch.zeros_like(x)  # as large
    return torch.maximum(x, zero)


class Layer:
    def forward(self, x):
        # no docstring here
        return relu(x)


def helper():
    pass
'''
REFERENCE = '''"""The reference."""


def relu(x):
    """The contract, said at length
    on several lines.
    """
    return x.clamp(min=0)


class Layer:
    def forward(
        self,
        x,
    ):
        """Also."""

        y = 1
        return  relu( x )  # another comment
'''


def test_only_bodies_are_compared_by_name() -> None:
    assert bodies(OWN) == {
        "relu": ["zero = torch.zeros_like(x)  # as large", "return torch.maximum(x, zero)"],
        "Layer.forward": ["# no docstring here", "return relu(x)"],
        "helper": ["pass"],
    }
    assert bodies(REFERENCE)["Layer.forward"] == ["y = 1", "return  relu( x )  # another comment"]


def test_lines_that_say_the_same_stand_together() -> None:
    lines = aligned(["a = 1", "b = 2", "return a"], ["a=1  # one", "return a", "c"])
    assert lines == [
        Line("a = 1", "a=1  # one"),
        Line("b = 2", None),
        Line("return a", "return a"),
        Line(None, "c"),
    ]
    assert [line.is_same for line in lines] == [True, False, True, False]


def test_as_a_diff_where_the_terminal_is_narrow() -> None:
    assert bodies_text(OWN, REFERENCE, 80).plain.split("\n\n")[1:] == [
        "relu\n- zero = torch.zeros_like(x)  # as large\n- return torch.maximum(x, zero)\n"
        "+ return x.clamp(min=0)",
        "Layer.forward\n- # no docstring here\n+ y = 1\n  return relu(x)",
        "helper\n- pass",
    ]


def test_in_two_columns_where_it_is_wide() -> None:
    text = bodies_text(OWN, REFERENCE, 120).plain
    (row,) = [line for line in text.splitlines() if "zeros_like" in line]
    assert row.startswith("- zero = torch.zeros_like(x)  # as large ") and row.endswith(
        "   + return x.clamp(min=0)"
    )
    assert max(map(len, text.splitlines())) <= 120


def test_a_long_line_goes_on_below_itself() -> None:
    own = "def f():\n    return " + "a" * 100
    text = bodies_text(own, "def f():\n    return 1", 120).plain
    assert text.count("a" * 40) == 2 and max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("width", [80, 200])
def test_what_differs_has_its_colour_and_nothing_else(width: int) -> None:
    page = Text().append("title", style="bold").append_text(bodies_text(OWN, REFERENCE, width))
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=width)
    console.print(page, highlight=False)
    assert isinstance(console.file, io.StringIO)
    drawn = console.file.getvalue()
    assert "\x1b[31m- zero = torch.zeros_like(x)" in drawn
    assert "\x1b[32m+ return x.clamp(min=0)" in drawn or "\x1b[32m   + return x.clamp(min=0)" in drawn


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_rows_fit_and_words_are_whole(width: int) -> None:
    long = "# a comment of many words " * 6
    own = f"def f(x):\n    {long}\n    return x\n"
    rows = bodies_text(own, "def f(x):\n    return x + 1\n", width).plain.split("\n")[1:]
    assert max(map(len, rows)) <= width  # but for the first, which says what the signs stand for
    known = {*long.split(), "f", "return", "x", "+", "1", "-", "│", "|"}
    assert {word for row in rows for word in row.split()} <= known
