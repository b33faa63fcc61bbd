"""For functions that are run again for their gradients: scenarios, and whether the second run counts."""

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


def through_many_layers(answer: "Any", x: "Any", times: "Any" = 96) -> "Any":
    """Twenty checkpoints of eight operations each; what each operation makes has 384 KiB."""

    def layer(x: "Any") -> "Any":
        for _ in range(4):
            x = (1 - x) * x
        return x

    x.requires_grad_()
    y = x.repeat(times)
    for _ in range(20):
        y = answer.checkpoint(layer, y)
    y.sum().backward()
    return x.grad


def through_several(answer: "Any", x: "Any", seed: "Any") -> "Any":
    """Checkpoints of one function, with dropout and other numbers, before one backward pass through all but
    the last of them."""

    def layer(x: "Any", scale: "Any") -> "Any":
        return torch.nn.functional.dropout(x.sin(), 0.5) * scale

    torch.default_generator.manual_seed(seed)
    constant = x.clone()
    x.requires_grad_()
    beside = answer.checkpoint(layer, x, 0.5)
    first = answer.checkpoint(layer, x, 2.0)
    behind = answer.checkpoint(layer, first, 3.0)
    unused = answer.checkpoint(layer, constant, 5.0)
    (behind + beside).square().sum().backward()
    return [value.detach() for value in (beside, first, behind, unused)], x.grad


def through_numbers_of_other_kinds(answer: "Any", x: "Any", y: "Any") -> "Any":
    """Inputs with gradients that are complex, half precision, and a slice of a larger one."""

    def function(z: "Any", half: "Any", part: "Any") -> "Any":
        return (z * z * part).imag.sin() + z.abs() * half

    z = torch.complex(x, y).requires_grad_()
    half, whole = y.half().requires_grad_(), torch.stack((x, y), -1).requires_grad_()
    out = answer.checkpoint(function, z, half, whole[..., 1])
    (out * out).sum().backward()
    found: "Any" = z.grad, half.grad, whole.grad
    none = any(gradient is None for gradient in found)
    return out.detach(), [] if none else [found[0].real.clone(), found[0].imag.clone(), *found[1:]]
