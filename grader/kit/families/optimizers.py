"""For optimizers: steps from given gradients, and those of PyTorch from the same ones."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.optim.adam import adam

from grader.kit.assertions import assert_close
from grader.kit.families.coarse import assert_close_or_coarse
from grader.kit.handles import Submission

Gradients = Sequence[Sequence[Tensor | None]]
"""For every step one for each parameter, None where that has none."""


class Followed(NamedTuple):
    """A parameter under Adam: its values, and the two running averages."""

    values: Tensor
    exp_avg: Tensor
    exp_avg_sq: Tensor


def adam_steps(
    parameter: Tensor,
    gradients: Sequence[Tensor | None],
    *,
    lr: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    decoupled: bool = False,
) -> list[Followed]:
    """What torch.optim.Adam (AdamW where `decoupled`) makes of a parameter, after every step.

    It is the function behind both, without the second that making the first optimizer takes.
    """
    values, exp_avg, exp_avg_sq = parameter.clone(), torch.zeros_like(parameter), torch.zeros_like(parameter)
    step, (beta1, beta2) = torch.tensor(0.0), betas
    update: Any = adam  # its lists are unpacked below
    options: dict[str, Any] = {"amsgrad": False, "maximize": False, "foreach": False}
    options |= {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "weight_decay": weight_decay}
    options["decoupled_weight_decay"] = decoupled
    after = []
    for gradient in gradients:
        if gradient is not None:
            lists = [[tensor] for tensor in (values, gradient, exp_avg, exp_avg_sq)]
            update(*lists, [], [step], **options)
        after.append(Followed(values.clone(), exp_avg.clone(), exp_avg_sq.clone()))
    return after


def stepped(
    answer: "Any", kind: str, parameters: "Any", gradients: "Any", options: "Any", given: str = "list"
) -> "Any":
    """A scenario: the parameters after each step of an optimizer, which is given them as a list or an
    iterator. They are the caller's own tensors, before and after."""
    leaves = [parameter.requires_grad_() for parameter in parameters]
    optimizer = getattr(answer, kind)(iter(leaves) if given == "iterator" else list(leaves), **options)
    after = []
    for each in gradients:
        for leaf, gradient in zip(leaves, each, strict=True):
            if gradient is None or leaf.grad is None:
                leaf.grad = None if gradient is None else gradient.clone()
            else:
                leaf.grad.copy_(gradient)  # as in loops that set gradients to 0: the same tensor again
        optimizer.step()
        after.append([leaf.detach().clone() for leaf in leaves])
    return after


def assert_steps(
    submission: Submission,
    kind: str,
    parameters: Sequence[Tensor],
    gradients: Gradients,
    expected: Sequence[Sequence[Tensor]],
    *,
    given: str = "list",
    tolerance: float | None = None,
    computed: Callable[[list[list[Tensor]]], tuple[Tensor, ...]] | None = None,
    **options: Any,
) -> None:
    """After each step every parameter is `expected`, by step and parameter. `computed`: what of these values
    tells in which dtype they were computed (see `assert_close_or_coarse`).

    Nothing is recorded of what follows a step that leaves infinities: it depends on how each sum is written.
    """
    steps = [list(each) for each in gradients]
    came = submission.run(stepped, kind, list(parameters), steps, options, given)
    told = next((n for n, each in enumerate(came, 1) if not all(map(_is_finite, each))), len(expected))
    own, wanted = _named(came[:told]), _named(expected[:told])
    if computed is None:
        assert_close(own, wanted, tolerance=tolerance)
    else:
        assert_close_or_coarse(own, wanted, *computed(came), tolerance=tolerance)


def _is_finite(values: Tensor) -> bool:
    return bool(values.isfinite().all())


def _named(steps: Sequence[Sequence[Tensor]]) -> dict[str, dict[str, Tensor]]:
    """By step and parameter, for the messages."""
    return {
        f"step {step}": {f"parameter {number}": value for number, value in enumerate(values, 1)}
        for step, values in enumerate(steps, 1)
    }
