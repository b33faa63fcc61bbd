"""Whether gradients come from a second run of a function, by values: in each run it has other numbers."""

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_again
from grader.kit.generators import Rng
from grader.kit.handles import Submission


def assert_second_run_counts(submission: Submission, rng: Rng) -> None:
    """In the second round: the gradients are those of the second run, whose numbers, as the count, are the
    judge's: what a function notes, the answer could write.
    """
    x, weight, factors = rng.normal(5, 3), rng.normal(3, 7), rng.normal(2, 7)
    runs: list[None] = []

    def factor() -> Tensor:
        runs.append(None)
        return factors[min(len(runs), 2) - 1]

    def came() -> list[Any]:
        return [*submission.run(through_a_changing_layer, x, weight, factor), len(runs)]

    def expected() -> list[Any]:
        directly = SimpleNamespace(checkpoint=lambda function, *inputs: function(*inputs))
        copies = [(x.clone(), weight.clone(), lambda numbers=numbers: numbers) for numbers in factors]
        first, second = (through_a_changing_layer(directly, *each) for each in copies)
        return [first[0], *second[1:], 2]

    assert_again(came, expected, what="value and gradients, where each run has other numbers")


def through_a_changing_layer(answer: "Any", x: "Any", weight: "Any", factor: "Any") -> "Any":
    """A layer that multiplies by other numbers in each run."""
    x.requires_grad_()
    weight.requires_grad_()
    y = answer.checkpoint(lambda x: (torch.tanh(x @ weight) * factor()).exp(), x)
    y.sum().backward()
    return [y.detach(), x.grad, weight.grad]
