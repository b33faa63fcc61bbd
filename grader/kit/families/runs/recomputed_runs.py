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


def through_a_chain(answer: "Any", x: "Any", weights: "Any") -> "Any":
    """Checkpoint after checkpoint in a larger computation, with one module twice."""
    torch.default_generator.manual_seed(0)
    layer = torch.nn.Linear(3, 3).to(x.dtype)
    with torch.no_grad():
        layer.weight.copy_(weights)
    x.requires_grad_()
    y = answer.checkpoint(layer, (2 * x).T)
    y = answer.checkpoint(torch.exp, y.sin())
    y = answer.checkpoint(layer, y.cos())
    (y * y).mean().backward()
    return {"x": x.grad, "weight": layer.weight.grad, "bias": layer.bias.grad}


def through_one_input_twice(answer: "Any", x: "Any") -> "Any":
    """One tensor as two inputs."""
    x.requires_grad_()
    answer.checkpoint(torch.mul, *[x.sin()] * 2).sum().backward()
    return x.grad


def through_outputs_with_a_common_part(answer: "Any", x: "Any", upstream: "Any", note: "Any") -> "Any":
    """A function, noted in each run, whose outputs come from one value on the way, which is kept for
    backward.
    """

    def function(x: "Any") -> "Any":
        note()
        common = torch.exp(x).tanh()
        return common * x, common.sum(0), common

    x.requires_grad_()
    outputs = answer.checkpoint(function, x)
    pairs = zip(outputs, upstream, strict=True)
    total: "Any" = sum((one * other).sum() for one, other in pairs)
    total.backward()
    return [value.detach() for value in outputs], x.grad


def through_a_list_and_a_dict(answer: "Any", x: "Any") -> "Any":
    """Whether what two runs write to a list and to a dict stands there; the value, and the gradient."""

    def function(x: "Any", notes: "Any", factors: "Any") -> "Any":
        notes.append("run")
        factors["runs"] = factors.get("runs", 0) + 1
        return x.sin() * factors["factor"]

    x.requires_grad_()
    notes: "Any" = []
    factors: "Any" = {"factor": 3}
    y = answer.checkpoint(function, x, notes, factors)
    y.sum().backward()
    return notes == ["run", "run"] and factors == {"factor": 3, "runs": 2}, y.detach(), x.grad


def through_inputs_without_floats(answer: "Any", weight: "Any", indices: "Any") -> "Any":
    """The gradient of a leaf inside, where the only input is of whole numbers, or is no tensor."""
    weight.requires_grad_()
    rows = answer.checkpoint(lambda indices: weight[indices].sin(), indices)
    all_rows = answer.checkpoint(lambda factor: weight.cos() * factor, 3.0)
    (rows.sum() + all_rows.square().sum()).backward()
    return [rows.detach(), all_rows.detach()], weight.grad


def through_an_unused_input(answer: "Any", x: "Any", unused: "Any") -> "Any":
    """Gradients of two inputs, of which the function leaves the second aside."""
    for leaf in (x, unused):
        leaf.requires_grad_()
    answer.checkpoint(lambda x, unused: x.sin(), x, unused).sum().backward()
    return x.grad, torch.zeros_like(unused) if unused.grad is None else unused.grad
