"""Backward passes that somebody has written: they may run twice, and what they get belongs to others too."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.comparison import allowance, difference
from grader.kit.generators import upstream_generator
from grader.kit.handles import Function, Weights, is_float
from grader.kit.rules.gradients import OVERWRITTEN, assert_gradients

_USED_UP = (
    "backward changes what the call kept for it, with an operation in place, for example. Leave that as it "
    "is, and make a new tensor"
)
_EXPANDED = (
    "backward raises where the gradient that it gets is not contiguous: of a sum it is a single 1 that "
    "stands for all places. reshape(…) takes it, view(…) does not, nor does an operation in place"
)
_LAYOUTS = (
    "where backward gets a gradient that is not contiguous",
    "where the results are summed up, so that backward gets a single 1 for all places",
)


def assert_backward_leaves_all(
    answer: Function,
    oracle: Callable[..., Any],
    *inputs: Any,
    weights: Mapping[str, Tensor] | None = None,
    constants: Mapping[str, Any] | None = None,
    tolerance: float | None = None,
    **kwargs: Any,
) -> None:
    """A backward pass gives the oracle's gradients, and again where it runs a second time (with
    retain_graph=True); it changes neither the first gradients then nor those that it gets, which may lie in
    memory in any order, or be one number that stands for all. For an answer that gives one tensor. `weights`,
    `constants` and `tolerance` are those of `assert_same_gradients`.
    """
    fixed = dict(constants or {})
    leaves = [_leaf(value) for value in inputs]
    options = {name: _leaf(value) for name, value in kwargs.items()}
    own = Weights({name: _leaf(value) for name, value in (weights or {}).items()})
    value = oracle(*((own,) if weights is not None else ()), *leaves, **options, **fixed)
    generator = upstream_generator()
    upstream = torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value.dtype)
    inner = [leaf for leaf in (*leaves, *options.values()) if is_float(leaf)]
    needed = [*inner, *own.values()]
    scalars = (value * upstream).sum(), value.sum()
    wanted, of_sum = (
        torch.autograd.grad(scalar, needed, None, True, allow_unused=True, materialize_grads=True)
        for scalar in scalars
    )
    came, beside, *passes = answer.within(
        _backward_twice, upstream, list(inputs), {**kwargs, **fixed}, list(fixed), list(own)
    )
    assert_close(came, value.detach(), tolerance=tolerance)
    absolute = max(allowance(gradient, tolerance) for gradient in wanted)
    names = [f"argument {number + 1}" for number in range(len(inner))] + list(own)
    assert_gradients(zip(names, passes[0], wanted, strict=True), absolute)
    # For diagnosis not by how much they are off: that is a matter of what is kept.
    left = difference(beside, upstream, tolerance) is None
    assert_true(left, OVERWRITTEN, seen=None if left else "what it gets")
    wrong = [
        words
        for gradients, words in ((passes[1], "gives other gradients"), (passes[2], "changes the first ones"))
        if any(
            difference(*pair, absolute=absolute) is not None for pair in zip(gradients, wanted, strict=True)
        )
    ]
    message = f"a second backward pass (retain_graph=True) {' and '.join(wrong)}: {_USED_UP}"
    assert_true(not wrong, message, seen="what it kept" if wrong else None)
    if wrong or not left:
        return
    raised = next((each for each in passes[3] if isinstance(each, str)), "")
    assert_true(not raised, f"{_EXPANDED}: {raised}", seen="raises" if raised else None)
    absolute = max(absolute, *(allowance(gradient, tolerance) for gradient in of_sum))
    for gradients, others, words in zip(passes[3], (wanted, of_sum), _LAYOUTS, strict=True):
        for name, one, other in zip(names, gradients, others, strict=True):
            assert_close(one, other, absolute=absolute, what=f"{words}, gradient of {name}")


def _leaf(value: Any) -> Any:
    return value.detach().clone().requires_grad_() if is_float(value) else value


def _backward_twice(
    function: "Any", upstream: "Any", args: "Any", kwargs: "Any", constants: "Any", names: "Any"
) -> "Any":
    """To be run in the worker: the value, the gradient of what is added to it, and the gradients of the first
    pass, of a second, of the first when the second is over, and those by a gradient in another order in
    memory, and of the sum.
    """
    owner = getattr(function, "__self__", function)
    parameters = dict(owner.named_parameters()) if isinstance(owner, torch.nn.Module) else {}
    given = [*args, *(value for name, value in kwargs.items() if name not in constants)]
    needed = [value for value in given if isinstance(value, torch.Tensor) and value.is_floating_point()]
    for value in needed:
        value.requires_grad_()
    needed += [parameters[name] for name in names]
    beside = torch.zeros_like(upstream).requires_grad_()
    # Made before the call, so that its turn comes after the call's own backward pass.
    doubled = beside * 2
    value = function(*args, **kwargs)
    if type(value) is not torch.Tensor or value.dtype != upstream.dtype:
        return value, *[None] * 5  # it is told what came
    total = ((value + doubled) * upstream).sum()
    passes: "Any" = []
    for _ in range(2):
        for leaf in [*needed, *parameters.values()]:
            leaf.grad = None
        total.backward(retain_graph=True)
        passes.append([torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in needed])
        if len(passes) == 1:
            of_beside: "Any" = beside.grad
            first, of_beside = [gradient.clone() for gradient in passes[0]], of_beside / 2
    turned, further = tuple(reversed(range(upstream.dim()))), list["Any"]()
    try:
        for scalar in ((value * upstream.permute(turned).contiguous().permute(turned)).sum(), value.sum()):
            for leaf in [*needed, *parameters.values()]:
                leaf.grad = None
            scalar.backward(retain_graph=True)
            further.append([torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in needed])
    except RuntimeError as error:
        further = [str(error)]
    return value.detach(), of_beside, first, passes[1], passes[0], further
