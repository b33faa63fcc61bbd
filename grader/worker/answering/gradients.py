"""Calls with gradients and without: plain ones, and one with its backward pass as a training step has it,
where other calls come before.
"""

import contextlib
import copy
import inspect
import io
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from grader.worker.answering.failures import is_by_autograd
from grader.worker.answering.global_state import left_changed, modes_on, put_back_switches
from grader.worker.torch_import import kept_torch
from grader.worker.walls.builtins.differentiation import backward_from

_NUMBERS = (int, float, str, type(None))
_QUICK_SECONDS = 0.05
"""An answer that takes longer for a call is not called once more: it needs its time for the checks."""


def called(request: dict[str, Any], function: Any, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """What the call gives, and what it left otherwise: with gradients or without, as is asked for. Otherwise
    every second one of a module or a function is without, by the request's number. (A function may use
    autograd inside, which cannot do without.)
    """
    seed = request["seed"]
    if (torch := kept_torch()) is None:
        return {"value": function(*args, **kwargs), "left": []}
    differentiable, is_function = request.get("differentiable"), False
    if differentiable is None:
        is_function = request["target"][0] == "name" and not isinstance(function, type)
        differentiable = seed % 2 == 1 or not (is_function or is_module(function))
    modes = modes_on()
    try:
        with torch.set_grad_enabled(differentiable):
            return {"value": function(*args, **kwargs), "left": left_changed(seed, modes, differentiable)}
    except RuntimeError as error:
        if differentiable or not is_function or not is_by_autograd(error):
            raise
    put_back_switches(seed)
    return {"value": function(*args, **kwargs), "left": left_changed(seed, modes)}


def is_module(function: Any) -> bool:
    """Whether it is a module, or a module's method."""
    torch = kept_torch()
    return torch is not None and isinstance(getattr(function, "__self__", function), torch.nn.Module)


def parameters_of(module: Any) -> dict[str, Any]:
    """All of them, by name, whatever the module's own methods would show."""
    found: dict[str, Any] = {}
    seen: set[int] = set()
    _add_parameters(module, "", found, seen)
    return found


def _add_parameters(module: Any, prefix: str, found: dict[str, Any], seen: set[int]) -> None:
    seen.add(id(module))
    for name, parameter in vars(module).get("_parameters", {}).items():
        if parameter is not None and id(parameter) not in seen:
            seen.add(id(parameter))
            found[prefix + name] = parameter
    for name, part in vars(module).get("_modules", {}).items():
        if part is not None and id(part) not in seen:
            _add_parameters(part, f"{prefix}{name}.", found, seen)


def with_gradients(
    function: partial[Any],
    args: list[Any],
    kwargs: dict[str, Any],
    upstream: list[Any],
    trained: list[int] | None,
    disturb: bool,
    seed: int,
    frozen: bool = False,
    evaluating: bool = False,
) -> dict[str, Any]:
    """What a call gives, the gradients of its inputs and, of a module, those of its parameters, by its
    outputs' (`upstream`). Of the floating-point inputs those with the numbers `trained` require gradients,
    by default all. To `disturb` it is to call once more in between: what the backward pass needs of a call
    must not be kept where the next one writes. Of a module the parameters may be `frozen` meanwhile, and it
    may be `evaluating`.
    """
    torch = kept_torch()

    inputs = [v for v in [*args, *kwargs.values()] if isinstance(v, torch.Tensor) and v.is_floating_point()]
    owner = getattr(function.func, "__self__", function.func)
    parameters = parameters_of(owner) if isinstance(owner, torch.nn.Module) else {}
    for number, tensor in enumerate(inputs):
        tensor.requires_grad_(trained is None or number in trained)
    for parameter in parameters.values():
        parameter.grad = None
    begun, modes = time.perf_counter(), modes_on()
    with _mode(owner, list(parameters.values()) if frozen else [], evaluating):
        value = function(*args, **kwargs)
        changed = left_changed(seed, modes)
        disturb = disturb and time.perf_counter() - begun < _QUICK_SECONDS
        outputs = list(value) if isinstance(value, tuple | list) else [value]
        pairs = [
            (output, gradient)
            for output, gradient in zip(outputs, upstream, strict=False)
            if isinstance(output, torch.Tensor) and output.requires_grad and output.shape == gradient.shape
        ]
        if disturb:
            _call_in_between(function, args, kwargs)
        if pairs:  # in the same mode: a checkpoint computes again
            backward_from(pairs)
        if modes_on() != modes and "modes" not in changed:
            changed.append("modes")
    return {
        "value": value,
        "left": changed,
        "inputs": [_gradient(tensor) for tensor in inputs],
        "parameters": {name: _gradient(parameter) for name, parameter in parameters.items()},
    }


@contextlib.contextmanager
def _mode(owner: Any, frozen: list[Any], evaluating: bool) -> Iterator[None]:
    """Meanwhile these parameters require no gradients, and a module may be evaluating."""
    trainable = [parameter for parameter in frozen if parameter.requires_grad]
    for parameter in trainable:
        parameter.requires_grad_(False)
    switched = evaluating and getattr(owner, "training", False)
    if switched:
        owner.eval()
    try:
        yield
    finally:
        if switched:
            owner.train()
        for parameter in trainable:
            parameter.requires_grad_()


def _call_in_between(function: partial[Any], args: list[Any], kwargs: dict[str, Any]) -> None:
    """Call it once more, with other numbers; a copy of a module, whose own state is its own matter. Nobody
    asks what comes of it: other numbers may be none that it takes.
    """
    torch = kept_torch()

    if not all(isinstance(v, (torch.Tensor, *_NUMBERS)) for v in [*args, *kwargs.values()]):
        return
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()), torch.random.fork_rng([]):
        other = function.func
        owner = getattr(other, "__self__", other)
        if isinstance(owner, torch.nn.Module):
            copied = copy.deepcopy(owner)
            other = copied if other is owner else getattr(copied, other.__name__)
        elif inspect.ismethod(other):
            return  # of an object that cannot be copied so surely
        named = {name: _other(value) for name, value in kwargs.items()}
        other(*map(_other, args), **named, **function.keywords)


def _other(value: Any) -> Any:
    """A tensor with half of its numbers, in another order of rows; all else as it is."""
    torch = kept_torch()

    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    half = value.detach() / 2
    return half.flip(0) if half.dim() else half


def _gradient(tensor: Any) -> Any:
    """A gradient that is missing counts as zero."""
    torch = kept_torch()

    return torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
