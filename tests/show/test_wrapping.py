"""Lines are broken between words, and nowhere else."""

import pytest
from rich.text import Text

from grader.show.terminal.wrapping import refilled, wrapped, wrapped_code, wrapped_items, wrapped_words


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("short", ["short"]),
        ("one two three four", ["one two", "three four"]),
        ("  indented lines hang", ["  indented", "  lines", "  hang"]),
        ("- an item of a list", ["- an item", "  of a", "  list"]),
        ("1. an item of a list", ["1. an item", "   of a", "   list"]),
        ("a_word_without_end and more", ["a_word_without_end", "and more"]),
        ("then make check topic=softmax now", ["then", "make check topic=softmax", "now"]),
        ("of shape (2, 3, 5, 7) came", ["of shape", "(2, 3, 5, 7)", "came"]),
        ("", [""]),
    ],
)
def test_lines(words: str, lines: list[str]) -> None:
    assert wrapped_words(words, 10).split("\n") == lines


def test_styles_stay_where_they_are() -> None:
    text = wrapped(Text("plain ").append("red and long", style="red"), 9)
    assert text.plain == "plain red\nand long"
    assert [text.plain[span.start : span.end] for span in text.spans if span.style == "red"] == [
        "red",
        "and long",
    ]


def test_a_paragraph_is_laid_out_anew_and_a_list_stays_one() -> None:
    wide = "word " * 18 + "end\nof it.\n1. " + "item " * 18 + "end\n   of it.\n2. short\nname    column"
    narrow = refilled(wide, 60).split("\n")
    assert narrow[1:] == [
        "word " * 6 + "end of it.",
        "1. " + ("item " * 11).strip(),
        "   " + "item " * 7 + "end of it.",
        "2. short",
        "name    column",
    ]
    assert refilled(wide, 100) == wide


def test_a_comment_that_does_not_fit_goes_above() -> None:
    code = "    x = f(a, b)        # (batch, seq)\n    y = g(some_name, other_name)"
    assert wrapped_code(code, 80) == code
    assert wrapped_code(code, 31).split("\n") == [
        "    x = f(a, b)  # (batch, seq)",
        "    y = g(some_name,",
        "        other_name)",
    ]
    assert wrapped_code(code, 26).split("\n")[:2] == ["    # (batch, seq)", "    x = f(a, b)"]


def test_a_row_of_keys_moves_together_and_then_is_broken_between_them() -> None:
    row = Text("h hint   n next topic   q quit")
    assert wrapped_items(row, 30).plain == "h hint   n next topic   q quit"
    assert wrapped_items(row, 28).plain == "h hint  n next topic  q quit"
    assert wrapped_items(row, 27).plain == "h hint  n next topic\nq quit"
    assert wrapped_items(row, 10).plain == "h hint\nn next\ntopic\nq quit"
