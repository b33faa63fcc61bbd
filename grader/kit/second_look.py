"""What a worker reports about a call, found out in another way.

Gradients and "was not changed" come from code that shares its process with the submission. In the second
round (see `rounds`) they come from a scenario instead: a few lines of the judge's own, whose results are
values.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.kit.handles import Function, Gradients, is_float
from grader.worker.walls.builtins.differentiation import backward_from


def gradients_by_scenario(
    answer: Function,
    upstream: list[Tensor],
    *args: Any,
    constants: Mapping[str, Any] | None = None,
    trained: Collection[int] | None = None,
    frozen: bool | Collection[str] = False,
    evaluating: bool = False,
    **kwargs: Any,
) -> Gradients:
    """As `Function.gradients`; `frozen` may also name parameters. The inputs are not leaves here, but twice
    the leaves: the answer has to be part of a larger computation.
    """
    numbers = None if trained is None else list(trained)
    which = frozen if isinstance(frozen, bool) else list(frozen)
    value, of_halves, of_weights = answer.within(
        _differentiate, upstream, list(args), kwargs, dict(constants or {}), numbers, which, evaluating
    )
    leaves = [number for number, value in enumerate((*args, *kwargs.values())) if is_float(value)]
    names = [f"argument {number + 1}" for number in leaves]
    return Gradients(value, [gradient / 2 for gradient in of_halves], names, of_weights)


def gradients_of_the_first(
    answer: Function,
    upstream: list[Tensor],
    *args: Any,
    constants: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> tuple[Gradients, list[Tensor]]:
    """As `gradients_by_scenario`, of the first of two calls which both come before a backward pass. Beside
    them the gradients that reach what is added to each of the results, as x is in x + f(x). What the other
    call changes of buffers, running averages say, is put back.
    """
    value, of_halves, of_weights, beside = answer.within(
        _differentiate_the_first, upstream, list(args), kwargs, dict(constants or {})
    )
    leaves = [number for number, value in enumerate((*args, *kwargs.values())) if is_float(value)]
    names = [f"argument {number + 1}" for number in leaves]
    return Gradients(value, [gradient / 2 for gradient in of_halves], names, of_weights), beside


def changed_by_scenario(answer: Function, *args: Any, **kwargs: Any) -> dict[int, str]:
    """As `Function.changed_inputs`, without the names."""
    sent = [*args, *kwargs.values()]
    changed: dict[int, str] = {}
    for differentiable in (True, False):
        after, _ = answer.within(_call, list(args), kwargs, differentiable)
        changed |= changed_between(sent, after)
    return changed


def changed_between(sent: Sequence[Any], after: Sequence[Any]) -> dict[int, str]:
    """The arguments that are not what was sent: their numbers, and these as names."""
    pairs = enumerate(zip(sent, after, strict=True), start=1)
    return {number - 1: str(number) for number, (old, new) in pairs if not _same(old, new)}


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, list | tuple):
        return len(old) == len(new) and all(map(_same, old, new))
    if isinstance(old, Tensor):
        return (old.shape, old.dtype) == (new.shape, new.dtype) and torch.equal(_bytes(old), _bytes(new))
    if not isinstance(old, np.ndarray):
        return True
    return (old.shape, old.dtype, old.tobytes()) == (new.shape, new.dtype, new.tobytes())


def _bytes(tensor: Tensor) -> Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def _differentiate(
    function: "Any",
    upstream: "Any",
    args: "Any",
    kwargs: "Any",
    constants: "Any",
    trained: "Any",
    frozen: "Any",
    evaluating: "Any",
) -> "Any":
    places = [*enumerate(args), *kwargs.items()]
    halves = {
        place: value / 2
        for place, value in places
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    }
    for number, half in enumerate(halves.values()):
        half.requires_grad_(trained is None or number in trained)
    doubled = {place: halves[place] * 2 if place in halves else value for place, value in places}
    positional = [doubled.pop(place) for place in range(len(args))]
    owner = getattr(function, "__self__", function)
    parameters = dict(owner.named_parameters()) if isinstance(owner, torch.nn.Module) else {}
    trainable = {name: parameter for name, parameter in parameters.items() if parameter.requires_grad}
    is_training = getattr(owner, "training", None)
    for parameter in parameters.values():
        parameter.grad = None
    for name, parameter in trainable.items():
        parameter.requires_grad_(not frozen if isinstance(frozen, bool) else name not in frozen)
    if evaluating and is_training:
        owner.eval()
    value = function(*positional, **doubled, **constants)
    outputs = list(value) if isinstance(value, tuple | list) else [value]
    pairs = [(one, other) for one, other in zip(outputs, upstream, strict=True) if one.requires_grad]
    if pairs:
        backward_from(pairs)
    leaves = {**halves, **parameters}
    found = {
        name: torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for name, leaf in leaves.items()
    }
    for parameter in trainable.values():
        parameter.requires_grad_()
    if evaluating and is_training:
        owner.train()
    return value, [found.pop(place) for place in halves], found


def _differentiate_the_first(
    function: "Any", upstream: "Any", args: "Any", kwargs: "Any", constants: "Any"
) -> "Any":
    given = {**dict(enumerate(args)), **kwargs}
    halves = {
        place: (value / 2).requires_grad_()
        for place, value in given.items()
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    }
    doubled = {place: half * 2 for place, half in halves.items()}
    owner = getattr(function, "__self__", function)
    parameters = dict(owner.named_parameters()) if isinstance(owner, torch.nn.Module) else {}
    for parameter in parameters.values():
        parameter.grad = None
    beside = [torch.zeros_like(gradient).requires_grad_() for gradient in upstream]
    # Made before the call, so that its turn comes after the call's own backward pass.
    added = [each * 2 for each in beside]
    arguments = [doubled.get(place, value) for place, value in enumerate(args)]
    named = {name: doubled.get(name, value) for name, value in kwargs.items()}
    value = function(*arguments, **named, **constants)
    is_module = isinstance(owner, torch.nn.Module)
    averages = {name: buffer.clone() for name, buffer in owner.named_buffers()} if is_module else {}
    others = {place: (half.detach() * 1.5).requires_grad_() for place, half in halves.items()}
    try:
        another = function(
            *(others.get(place, each) for place, each in enumerate(arguments)),
            **{name: others.get(name, each) for name, each in named.items()},
            **constants,
        )
    except Exception:  # what is only right for inputs of this size
        another = None
    outputs = list(value) if isinstance(value, tuple | list) else [value]
    backward_from(
        [(one + more, gradient) for one, more, gradient in zip(outputs, added, upstream, strict=True)]
    )
    del another
    for name, buffer in owner.named_buffers() if is_module else ():
        before = averages.get(name)
        if before is not None and buffer.shape == before.shape and not torch.equal(buffer, before):
            buffer.copy_(before)
    found = {
        name: torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
        for name, leaf in {**halves, **parameters}.items()
    }
    of_halves = [found.pop(place) for place in halves]
    of_beside = [torch.zeros_like(each) if each.grad is None else each.grad / 2 for each in beside]
    return value, of_halves, found, of_beside


def _call(function: "Any", args: "Any", kwargs: "Any", differentiable: "Any") -> "Any":
    # The value is kept, and sent: arguments might be put back when it is dropped.
    if differentiable or "torch" not in globals():
        value = function(*args, **kwargs)
    else:
        with torch.no_grad():
            try:
                value = function(*args, **kwargs)
            except Exception:  # where it uses autograd inside
                value = None
    return [*args, *kwargs.values()], value
