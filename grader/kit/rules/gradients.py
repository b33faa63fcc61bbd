"""Gradients of an answer, held against those of an oracle."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_close
from grader.kit.comparison import allowance, counting, difference
from grader.kit.generators import upstream_generator
from grader.kit.handles import Function, Gradients, Weights, is_float
from grader.kit.recording import record
from grader.kit.rounds import is_second_round
from grader.kit.second_look import gradients_by_scenario

_IN_EVALUATION = (
    "in evaluation mode, which is about dropout and running statistics and never about gradients, "
)
_FROZEN = "where the parameters are frozen, and what comes before is to learn, "


def assert_same_gradients(
    answer: Function,
    oracle: Callable[..., Any],
    *inputs: Any,
    weights: Mapping[str, Tensor] | None = None,
    constants: Mapping[str, Any] | None = None,
    where: Tensor | None = None,
    tolerance: float | None = None,
    absolute: float | None = None,
    alone: bool = True,
    **kwargs: Any,
) -> None:
    """Value and gradients equal the oracle's under random upstream gradients: for every floating-point input,
    and with `weights` (which the answer has) for every parameter. Then the oracle is called as
    `oracle(weights, *inputs)`. `constants` are keyword arguments that need no gradient (tables, advantages).
    `tolerance`, `absolute` and `where` are those of `assert_close`; elsewhere upstream gradients are 0. With
    `alone`, they are the same where not all need one: of a function the first input, or the last; of a module
    its parameters, or its inputs. The latter in evaluation, too, if its value is the same there.
    """
    fixed = dict(constants or {})
    leaves = [_leaf(value) for value in inputs]
    options = {name: _leaf(value) for name, value in kwargs.items()}
    own = Weights({name: _leaf(value) for name, value in (weights or {}).items()})
    before = (own,) if weights is not None else ()
    if before:  # the evidence where the oracle cannot work with weights of other shapes
        shapes = {name: tuple(value.shape) for name, value in own.items()}
        record(shapes, shapes)
    value = oracle(*before, *leaves, **options, **fixed)
    outputs = list(value) if isinstance(value, tuple | list) else [value]
    generator = upstream_generator(len(outputs))
    upstream = [torch.randn(o.shape, generator=generator, dtype=torch.float64).to(o.dtype) for o in outputs]
    upstream = [counting(gradient, torch.zeros_like(gradient), where) for gradient in upstream]
    inner = [leaf for leaf in (*leaves, *options.values()) if is_float(leaf)]
    # A scalar to start from has the same gradients, and spares torch an import of 0.3 s.
    scalar = sum((output * gradient).sum() for output, gradient in zip(outputs, upstream, strict=True))
    wanted = torch.autograd.grad(scalar, [*inner, *own.values()], allow_unused=True, materialize_grads=True)
    gradients = gradients_by_scenario if is_second_round() else Function.gradients
    ask = partial(gradients, answer, upstream, *inputs, constants=fixed, **kwargs)
    came = ask()
    assert_close(came.value, _detached(value), tolerance=tolerance, absolute=absolute, where=where)
    if absolute is None:
        # One measure for all: a gradient that vanishes is a difference of terms as large as the others'.
        absolute = max(allowance(gradient, tolerance) for gradient in wanted)
    to_inputs = dict(enumerate(wanted[: len(inner)]))
    to_parameters = dict(zip(own, wanted[len(inner) :], strict=True))
    _compare(came, to_inputs, to_parameters, absolute)
    if not alone:
        return
    if weights is None:  # the others may be data, or come from what is frozen
        for number in sorted({0, len(inner) - 1}) if len(inner) > 1 else ():
            _compare(ask(trained=(number,)), {number: wanted[number]}, {}, absolute, "beside frozen inputs, ")
        return
    if inner and own:  # data require no gradients in a first layer
        _compare(ask(trained=()), {}, to_parameters, absolute, "where the inputs need none, ")
    to_the_rest = {} if inner else to_parameters
    once_more = ask(evaluating=True, frozen=bool(inner))
    if difference(counting(once_more.value, value, where), _detached(value), tolerance) is None:
        # Both at once, which mostly is well; otherwise it is told which of them it is.
        is_frozen = _is_wrong(once_more, to_inputs, absolute) and not _is_wrong(
            ask(evaluating=True), to_inputs, absolute
        )
        _compare(once_more, to_inputs, to_the_rest, absolute, _FROZEN if is_frozen else _IN_EVALUATION)


def _compare(
    came: Gradients,
    to_inputs: Mapping[int, Tensor],
    to_parameters: Mapping[str, Tensor],
    absolute: float,
    where: str = "",
) -> None:
    """The gradients of these inputs, by their number, and parameters. `where`: in which call, in words."""
    rows: list[tuple[str, Any, Tensor]]
    rows = [(came.names[number], came.inputs[number], other) for number, other in to_inputs.items()]
    rows += [(name, came.parameters.get(name), other) for name, other in to_parameters.items()]
    assert_gradients(rows, absolute, where)


def assert_gradients(rows: Iterable[tuple[str, Any, Tensor]], absolute: float, where: str = "") -> None:
    """Names, what came, and the gradients that should come, within `absolute`; those that are lost are told
    first. `where`: in which call, in words.
    """
    rows = list(rows)
    lost = [name for name, one, other in rows if _is_lost(one, other, absolute)]
    more = f" and {len(lost) - 4} more" if len(lost) > 4 else ""
    note = f"no gradient reaches {', '.join(lost[:4])}{more}; " if lost else ""
    for name, one, other in rows:
        assert_close(one, other, absolute=absolute, what=f"{where}{note}gradient of {name}")


def _is_wrong(came: Gradients, to_inputs: Mapping[int, Tensor], absolute: float) -> bool:
    return any(
        difference(came.inputs[number], other, absolute=absolute) is not None
        for number, other in to_inputs.items()
    )


def _is_lost(came: Any, wanted: Tensor, absolute: float) -> bool:
    """Whether a gradient is zero everywhere that should not be."""
    return isinstance(came, Tensor) and not came.any() and bool((wanted.abs() > absolute).any())


def _leaf(value: Any) -> Any:
    return value.detach().clone().requires_grad_() if is_float(value) else value


def _detached(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_detached(item) for item in value)
    return value.detach()
