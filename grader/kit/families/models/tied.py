"""Models whose logits share the token embedding's weight: one parameter, which is named after the module that
was made first, `token_embedding` or `lm_head`.
"""

from collections.abc import Callable, Container, Mapping
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.comparison import allowance, difference
from grader.kit.generators import Rng, upstream_generator
from grader.kit.handles import Gradients, Instance, Weights
from grader.kit.rounds import is_second_round
from grader.kit.rules.gradients import OVERWRITTEN
from grader.kit.second_look import gradients_by_scenario, gradients_of_the_first

SHARED, OTHERWISE = "token_embedding.weight", "lm_head.weight"


def shapes_by_usual_names(model: Instance) -> dict[str, tuple[int, ...]]:
    """The shapes of the model's parameters."""
    own = model.shapes()
    return {_usual(name, own): shape for name, shape in own.items()}


def by_own_names(model: Instance, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the usual names of parameters, by those that they have in this model."""
    return _by_names_of(model.shapes(), values)


def _by_names_of(own: Container[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """The same, where `own` are the names that they have."""
    turned = OTHERWISE in own and SHARED not in own
    return {OTHERWISE if turned and name == SHARED else name: value for name, value in values.items()}


def by_usual_names(values: Mapping[str, Any]) -> Weights:
    """The way back."""
    return Weights({_usual(name, values): value for name, value in values.items()})


def _usual(name: str, all_names: Container[str]) -> str:
    return SHARED if name == OTHERWISE and SHARED not in all_names else name


def load(model: Instance, weights: Mapping[str, Tensor]) -> None:
    """Give the model weights by their usual names."""
    model.load(by_own_names(model, weights))


def randomize(model: Instance, rng: Rng, dtype: torch.dtype = torch.float64) -> Weights:
    """Give every parameter random values, the same whatever the shared one is called, and say which."""
    own = model.shapes()
    shapes = {_usual(name, own): shape for name, shape in own.items()}
    values = {name: rng.normal(*shapes[name], dtype=dtype, scale=0.5) for name in sorted(shapes)}
    model.load(_by_names_of(own, values))
    return Weights(values)


def assert_same_gradients(
    model: Instance,
    oracle: Callable[..., Tensor],
    weights: Mapping[str, Tensor],
    token_ids: Tensor,
    *,
    tolerance: float | None = None,
) -> None:
    """Value and gradients of all parameters equal the oracle's under a random upstream gradient. The evidence
    is the same whatever the shared parameter is called.
    """
    own = Weights({name: value.clone().requires_grad_() for name, value in weights.items()})
    value = oracle(own, token_ids)
    upstream = torch.randn(value.shape, generator=upstream_generator(), dtype=torch.float64)
    wanted = torch.autograd.grad((value * upstream).sum(), list(own.values()))
    came = gradients_by_scenario(model, [upstream], token_ids)
    assert_close(came.value, value.detach(), tolerance=tolerance)
    absolute = max(allowance(gradient, tolerance) for gradient in wanted)

    def compare(gradients: Gradients, where: str = "") -> None:
        found = by_usual_names(gradients.parameters)
        for name, gradient in zip(own, wanted, strict=True):
            what = f"{where}gradient of {name}"
            assert_close(found.get(name), gradient, absolute=absolute, what=what)

    compare(came)
    if is_second_round():
        first, beside = gradients_of_the_first(model, [upstream], token_ids)
        compare(first, "of two calls, ")
        assert_true(difference(beside, [upstream]) is None, OVERWRITTEN)
    evaluated = gradients_by_scenario(model, [upstream], token_ids, evaluating=True)
    if difference(evaluated.value, value.detach(), tolerance) is None:
        compare(evaluated, "in evaluation mode, ")
