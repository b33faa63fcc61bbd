"""What is noted while a submission's lines run: every tensor, its line, what it was made from, its names."""

import textwrap

import numpy as np
import pytest
import torch

from grader.judge.trail.noted.notes import Notes, read_notes
from grader.worker.tracing import RESULT
from grader.worker.tracing.trace import Trace

PATH = "<answer>"


def noted(source: str, *args) -> Notes:
    """The notes of a call of `f` in a source, whose first line is line 1."""
    space: dict = {"torch": torch, "np": np}
    exec(compile(textwrap.dedent(source).strip(), PATH, "exec"), space)
    trace = Trace(PATH)
    trace.run(lambda request: {"value": space["f"](*args)}, {})
    return read_notes(trace.notes.report())


def named(notes: Notes) -> dict[str, list]:
    return {name.name: notes.notes[name.note].values.tolist() for name in notes.names}


X = torch.tensor([[1.0, 2.0], [3.0, 4.5]])


def test_values_have_their_lines_and_names():
    notes = noted("def f(x):\n    double = x * 2\n    return double + 1", X)
    assert [(note.line, note.made_by) for note in notes.notes] == [(2, "mul"), (3, "add")]
    assert notes.notes[1].parents == (0,)
    assert named(notes) == {"double": [2.0, 4.0, 6.0, 9.0], RESULT: [3.0, 5.0, 7.0, 10.0]}


def test_what_is_written_through_a_view_is_noted_when_it_is_used():
    notes = noted("def f(x):\n    out = torch.zeros(2, 2)\n    out[0] = x[0]\n    return out * 1", X)
    assert named(notes)["out"] == [1.0, 2.0, 0.0, 0.0]
    last = notes.notes[-1]
    assert last.line == 4 and any(notes.notes[parent].line == 3 for parent in last.parents)


def test_what_is_not_the_files_is_not_noted():
    (note,) = noted("def f(x):\n    return x", X).notes
    assert note.made_by == "" and note.parents == ()


def test_names_in_other_functions_have_theirs_in_front():
    source = "def half(x):\n    small = x / 2\n    return small\n\ndef f(x):\n    y = half(x)\n    return y"
    assert set(named(noted(source, X))) == {"half: small", "half()", "y", RESULT}


def test_attributes_and_plain_numbers_are_named():
    source = """
        class A:
            def __init__(self, x):
                self.table = x.cos()
                self.scale = 0.5

        def f(x):
            return A(x).table
    """
    notes = noted(source, X)
    assert "__init__: self.table" in named(notes)
    assert ("self.scale", 0.5, 4) in notes.scalars


def test_what_is_drawn_is_marked_with_all_that_is_made_of_it():
    notes = noted("def f(x):\n    y = x + 1\n    noise = torch.rand(2, 2)\n    return y * noise", X)
    assert [note.drawn for note in notes.notes] == [False, True, True]


def test_attention_without_dropout_draws_nothing():
    source = "def f(x):\n    return torch.nn.functional.scaled_dot_product_attention(x, x, x)"
    assert not any(note.drawn for note in noted(source, X[None, None]).notes)


def test_what_lies_in_empty_memory_is_not_noted():
    assert noted("def f():\n    return torch.empty(3)").notes[0].values is None


def test_arrays_are_noted_by_their_names():
    notes = noted("def f(x):\n    y = x * 2\n    return y", X.numpy())
    assert named(notes)["y"] == [2.0, 4.0, 6.0, 9.0]


def test_subclasses_of_tensors_are_no_hindrance():
    from torch.nn.attention.bias import causal_lower_right  # loads the whole compiler

    source = "def f(x, make):\n    make(2, 2)\n    return x * 3"
    assert named(noted(source, X, causal_lower_right))[RESULT] == [3.0, 6.0, 9.0, 13.5]


def test_more_than_there_is_room_for_is_said():
    source = "def f(x):\n    for _ in range(3000):\n        x = x + 1\n    return x"
    notes = noted(source, X)
    assert len(notes.notes) == 2000 and not notes.marks[0].complete


def test_the_tracer_is_gone_after_an_exception():
    with pytest.raises(ZeroDivisionError):
        noted("def f(x):\n    return 1 / 0", X)
    assert torch.ones(2).sum() == 2 and "__new__" not in vars(torch.Tensor)
