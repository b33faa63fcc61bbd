"""Whether gradients in training are those of what was drawn: a backward written by hand may forget it."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_true
from grader.kit.comparison import allowance, counting, difference
from grader.kit.generators import upstream_generator
from grader.kit.handles import Function, Instance
from grader.kit.rounds import is_second_round
from grader.kit.second_look import gradients_by_scenario


def assert_gradients_of_the_draw(
    module: Instance,
    drawn: Callable[[Tensor], Tensor],
    oracle: Callable[..., Tensor],
    *inputs: Tensor,
    weights: Mapping[str, Tensor],
    constants: Mapping[str, Any] | None = None,
    where: Tensor | None = None,
    tolerance: float | None = None,
) -> None:
    """In training the gradients of inputs and parameters are those of what was drawn in the same call.

    `drawn(value)` reads the draw off the value that came, whatever the random numbers were, and
    `oracle(draw, weights, *inputs)` gives the value under this draw. `constants` (masks, say) are further
    arguments of the call; `where` and `tolerance` are those of `assert_same_gradients`.
    """
    leaves = [value.clone().requires_grad_() for value in inputs]
    own = {name: value.clone().requires_grad_() for name, value in weights.items()}
    shape = oracle(torch.ones((), dtype=torch.float64), own, *leaves).shape
    upstream = torch.randn(shape, generator=upstream_generator(), dtype=torch.float64)
    upstream = counting(upstream, torch.zeros_like(upstream), where)
    gradients = gradients_by_scenario if is_second_round() else Function.gradients
    came = gradients(module.train(), [upstream], *inputs, constants=constants)
    fits = isinstance(came.value, Tensor) and came.value.shape == shape
    value = oracle(drawn(came.value.detach()), own, *leaves) if fits else None
    if value is not None:
        wanted_value, allowed = value.detach(), tolerance or 1e-5
        fits = difference(counting(came.value, wanted_value, where), wanted_value, allowed) is None
    assert_true(fits, "in training the value is not that of the formula with something dropped", seen=fits)
    if value is None or not fits:
        return
    total = (value * upstream).sum()
    wanted = torch.autograd.grad(total, [*leaves, *own.values()], materialize_grads=True, allow_unused=True)
    absolute = max(allowance(gradient, tolerance) for gradient in wanted)
    found = [*came.inputs, *(came.parameters.get(name) for name in own)]
    names = [*came.names, *own]
    wrong = {
        name: text
        for name, one, other in zip(names, found, wanted, strict=True)
        if (text := difference(one, other, absolute=absolute)) is not None
    }
    # For diagnosis which they are: by how much depends on what was drawn.
    places = [place for place, name in enumerate(names) if name in wrong]
    first = next(iter(wrong.items()), ("", ""))
    message = f"backward does not follow what forward has dropped: gradient of {first[0]}: {first[1]}"
    assert_true(not wrong, message, seen=places)
