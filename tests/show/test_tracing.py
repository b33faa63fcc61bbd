"""Traces, steps and mistakes as notebooks show them."""

import re
import sys

import numpy as np
import pytest
import torch
from torch import Tensor

from grader.curriculum.catalog import load_catalog
from grader.show import figures as show
from solutions.attention.gqa import GroupedQueryAttention


def doubled(x: Tensor) -> Tensor:
    half = x[:, :2]
    return half * 2


def two_steps(x: Tensor, times: int) -> tuple[Tensor, int]:
    total = torch.zeros(3, 2)
    for _ in range(times):
        total = total + doubled(x)
    total.add_(1)
    return total, times


def test_trace_names_shapes_in_order() -> None:
    run = show.trace(doubled, torch.ones(3, 5), sizes={"batch": 3, "features": 5})
    assert [(made.name, made.shape, made.line) for made in run.made] == [
        ("x", (3, 5), "argument"),
        ("half", (3, 2), "half = x[:, :2]"),
        ("result", (3, 2), "return value"),
    ]
    assert "(3, 5) = (batch, features)  float32" in repr(run)
    assert "(3, 2) = (batch, 2)" in repr(run)


def test_trace_has_all_values_of_a_name_as_they_were() -> None:
    run = show.trace(two_steps, torch.ones(3, 5), 2)
    assert [value[0, 0].item() for value in run.all("total")] == [0, 2, 4, 5]  # the last is written in place
    assert run["total"][0, 0] == 5
    assert len(run.all("doubled: half")) == 2
    assert "half = x[:, :2]   # 2 times" in repr(run)
    assert run.result[1] == 2
    with pytest.raises(KeyError, match="nothing named weights was made; there are: x, total"):
        run["weights"]


def test_trace_sees_arrays() -> None:
    def shifted(x: np.ndarray) -> np.ndarray:
        x = x.copy()
        x -= x.max()
        return x

    run = show.trace(shifted, np.array([1.0, 3.0]))
    assert [value.tolist() for value in run.all("x")] == [[1, 3], [1, 3], [-2, 0]]
    assert run.made[0].dtype == "float64"


def test_trace_of_a_module_begins_with_its_parameters() -> None:
    torch.manual_seed(0)
    module = GroupedQueryAttention(12, 6, 2)
    x = torch.randn(2, 5, 12)
    run = show.trace(module, x)
    assert [made.name for made in run.made[:2]] == ["q_proj.weight", "q_proj.bias"]
    assert [key.shape[1] for key in run.all("key")] == [2, 6]
    assert torch.equal(run.result, module(x))
    assert run["weights"].sum(-1).allclose(torch.ones(2, 6, 5))
    assert not run["weights"].requires_grad and run.result.requires_grad


def test_trace_leaves_the_tracer_that_was_there() -> None:
    before = sys.gettrace()
    with pytest.raises(IndexError):
        show.trace(doubled, torch.ones(3))
    assert sys.gettrace() is before


def test_trace_refuses_sizes_that_cannot_be_told_apart() -> None:
    with pytest.raises(ValueError, match="cannot be told apart"):
        show.trace(doubled, torch.ones(3, 5), sizes={"batch": 3, "heads": 3})


def test_trace_refuses_what_is_not_python() -> None:
    with pytest.raises(TypeError, match="not written in Python"):
        show.trace(torch.relu, torch.ones(3))


# Steps


class Sample:
    """Not to be shown."""

    def run(self, x: int) -> int:
        """Not to be shown
        either.
        """
        first = x + 1
        # The reason of the second.
        second = first * 2

        return second


def test_steps_without_reasons_is_the_body() -> None:
    text = show.steps(Sample.run).text
    assert "Not to be shown" not in text
    assert text.splitlines()[0] == "def run(self, x: int) -> int:"
    assert text.splitlines()[-1] == "    return second"
    assert "Not to be shown" not in show.steps(Sample).text


def test_steps_have_their_reasons_and_comments() -> None:
    card = show.steps(Sample.run, {"first =": "Add `one`.", "second =": "Double & go."})
    assert card.text == (
        "1. Add `one`.\n    first = x + 1\n\n"
        "2. Double & go.\n    # The reason of the second.\n    second = first * 2\n\n    return second"
    )
    assert "Double &amp; go." in card.html and ">one</code>" in card.html


def test_a_step_without_a_reason_is_left_out() -> None:
    text = show.steps(Sample.run, {"second =": "Double.", "return": ""}).text
    assert text == "1. Double.\n    # The reason of the second.\n    second = first * 2"


def test_a_step_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no line has the text 'third ='"):
        show.steps(Sample.run, {"third =": "?"})
    with pytest.raises(ValueError, match="no line below the one before has the text 'first ='"):
        show.steps(Sample.run, {"second =": "", "first =": "?"})


# Mistakes


def test_a_mistake_is_a_module_that_computes_something_else() -> None:
    torch.manual_seed(0)
    right = GroupedQueryAttention(12, 6, 3)
    wrong = show.mistake("gqa", "kv-heads-tiled")
    module = wrong.GroupedQueryAttention(12, 6, 3)
    module.load_state_dict(right.state_dict())
    x = torch.randn(1, 5, 12)
    assert not torch.allclose(module(x), right(x))
    assert "query head i" in wrong.says
    assert "-        key = key.repeat_interleave(groups, dim=1)" in repr(wrong)
    assert "+        key = key.repeat(1, groups, 1, 1)" in repr(wrong)
    assert "repeat(1, groups, 1, 1)" in repr(show.trace(module, x))  # its lines are known too


def test_an_unknown_mistake_is_named_with_the_known_ones() -> None:
    with pytest.raises(LookupError, match=r"gqa has no mistake 'tiled'; it has: .*kv-heads-tiled"):
        show.mistake("gqa", "tiled")


@pytest.mark.parametrize("topic", [topic.id for topic in load_catalog().topics])
def test_every_mistake_of_every_topic_can_be_shown(topic: str) -> None:
    for id_ in show.mistake_ids(topic):
        text = repr(show.mistake(topic, id_))
        assert "\n+" in text or "\n-" in text, id_


def test_a_mistake_is_rejected_by_the_grader() -> None:
    text = show.mistake("softmax", show.mistake_ids("softmax")[0]).graded().text
    assert re.search(r"\d+ of \d+ checks pass\nFAIL  ", text)
