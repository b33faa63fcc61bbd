"""Whether what a mask hides stays hidden in training too, whatever is dropped there."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_true
from grader.kit.generators import upstream_generator
from grader.kit.handles import Function, Instance
from grader.kit.rounds import is_second_round
from grader.kit.second_look import gradients_by_scenario


def assert_hidden_in_training(
    module: Instance,
    *inputs: Tensor,
    like: Tensor,
    where: Tensor,
    hidden: Mapping[int | str, Tensor],
    further: Sequence[Tensor] = (),
    **constants: Any,
) -> None:
    """In training no gradient of a loss over what `where` selects of the (first) result, which has the shape
    of `like`, reaches what is hidden from it: places of inputs, by their number, or of parameters, by name.
    With a dropout a mask may be forgotten that counts without, and what is drawn need not be known to tell.
    `further` are the gradients of a loss for results after the first, and `constants` arguments of the call.
    """
    upstream = torch.randn(like.shape, generator=upstream_generator(), dtype=like.dtype)
    upstream[~where] = 0.0
    gradients = gradients_by_scenario if is_second_round() else Function.gradients
    came = gradients(module.train(), [upstream, *further], *inputs, constants=constants)
    found: dict[int | str, Tensor] = {}
    found.update(enumerate(came.inputs))
    found.update(came.parameters.items())
    leaks = [
        name
        for name, places in hidden.items()
        if (gradient := found.get(name)) is not None
        and gradient.shape[: places.ndim] == places.shape
        and not float(gradient[places].abs().max()) <= 1e-9 * max(1.0, float(gradient.abs().max()))
    ]
    message = (
        "in training, with a dropout, tokens that the mask hides take part all the same: gradients of a loss "
        "over the other tokens reach them"
    )
    # Names of parameters may be one's own. Which tokens it is, the number of their rows tells.
    kinds = {str(name if isinstance(name, int) else list(hidden[name].shape)) for name in leaks}
    assert_true(not leaks, message, seen=sorted(kinds))
