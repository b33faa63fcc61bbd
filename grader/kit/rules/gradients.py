"""Gradients of an answer, held against those of an oracle."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.comparison import allowance, counting, difference
from grader.kit.generators import upstream_generator
from grader.kit.handles import Function, Gradients, Instance, Weights, is_float
from grader.kit.outcomes import Misused
from grader.kit.recording import record
from grader.kit.rounds import is_second_round
from grader.kit.second_look import gradients_by_scenario, gradients_of_the_first

_IN_EVALUATION = (
    "in evaluation mode, which is about dropout and running statistics and never about gradients, "
)
_FROZEN = "where the parameters are frozen, and what comes before is to learn, "
_AFTER_ANOTHER = (
    "where another call comes between a call and its backward pass, so that what backward needs is the "
    "first call's own, "
)
_IN_FLOAT32 = "in float32, in which everybody trains, "
OVERWRITTEN = (
    "where the result is added to something else, as in x + f(x), the gradient of that is wrong: backward "
    "writes to the gradient that it gets, which belongs to others too. Usual causes are grad *= … and "
    "grad[…] = …, also behind contiguous(), which makes no copy of what is contiguous. Make a new tensor"
)
_COARSE = 0.02
"""Of the largest gradient: what float32 may be off by where there is hardly any."""


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
    if weights is not None:  # the evidence where the oracle cannot work with weights of other shapes
        shapes = {name: tuple(value.shape) for name, value in weights.items()}
        record(shapes, shapes)
    call = _Call(inputs, kwargs, fixed, weights)
    value, upstream, wanted = _by_oracle(oracle, call, where)
    inner, own = [each for each in (*inputs, *kwargs.values()) if is_float(each)], weights or {}
    gradients = gradients_by_scenario if is_second_round() else Function.gradients
    ask = partial(gradients, answer, upstream, *inputs, constants=fixed, **kwargs)
    beside = None
    if is_second_round():
        came, beside = gradients_of_the_first(answer, upstream, *inputs, constants=fixed, **kwargs)
    else:
        came = ask()
    assert_close(came.value, _detached(value), tolerance=tolerance, absolute=absolute, where=where)
    if absolute is None:
        # One measure for all: a gradient that vanishes is a difference of terms as large as the others'.
        absolute = max(allowance(gradient, tolerance) for gradient in wanted)
    to_inputs = dict(enumerate(wanted[: len(inner)]))
    to_parameters = dict(zip(own, wanted[len(inner) :], strict=True))
    if beside is None:
        _compare(came, to_inputs, to_parameters, absolute)
    else:
        if _is_wrong(came, to_inputs, to_parameters, absolute):  # alone too, or only with another call
            _compare(ask(), to_inputs, to_parameters, absolute)
            _compare(came, to_inputs, to_parameters, absolute, _AFTER_ANOTHER)
        assert_true(difference(beside, upstream) is None, OVERWRITTEN)
        if tolerance is None:  # else it is about numbers that float32 has no digits for
            with _as_before(answer, weights):
                _look_in_float32(answer, oracle, call, where, wanted)
    if not alone:
        return
    if weights is None:  # the others may be data, or come from what is frozen
        for number in sorted({0, len(inner) - 1}) if len(inner) > 1 else ():
            _compare(ask(trained=(number,)), {number: wanted[number]}, {}, absolute, "beside frozen inputs, ")
        return
    if inner and own:  # data require no gradients in a first layer
        _compare(ask(trained=()), {}, to_parameters, absolute, "where the inputs need none, ")
    if is_second_round() and len(own) > 1:
        drawn = upstream_generator(sum(map(torch.numel, upstream)))  # in each check another one
        with _as_before(answer, weights):
            _look_at_one_alone(partial(ask, trained=()), to_parameters, absolute, drawn)
    to_the_rest = {} if inner else to_parameters
    once_more = ask(evaluating=True, frozen=bool(inner))
    if difference(counting(once_more.value, value, where), _detached(value), tolerance) is None:
        # Both at once, which mostly is well; otherwise it is told which of them it is.
        is_frozen = _is_wrong(once_more, to_inputs, {}, absolute) and not _is_wrong(
            ask(evaluating=True), to_inputs, {}, absolute
        )
        _compare(once_more, to_inputs, to_the_rest, absolute, _FROZEN if is_frozen else _IN_EVALUATION)


@dataclass(frozen=True)
class _Call:
    """What is handed to the oracle and to the answer: inputs, options and constants, and weights if there are
    any."""

    inputs: tuple[Any, ...]
    options: Mapping[str, Any]
    constants: Mapping[str, Any]
    weights: Mapping[str, Tensor] | None

    def in_float32(self) -> "_Call":
        """The same with all that is float64 in float32."""
        weights = None if self.weights is None else _in_float32(dict(self.weights))
        inputs, options = _in_float32(self.inputs), _in_float32(dict(self.options))
        return _Call(inputs, options, _in_float32(dict(self.constants)), weights)


def _by_oracle(
    oracle: Callable[..., Any], call: _Call, where: Tensor | None
) -> tuple[Any, list[Tensor], tuple[Tensor, ...]]:
    """The value, the upstream gradients that are drawn for it, and the gradients of floating-point inputs,
    options and weights."""
    leaves = [_leaf(value) for value in call.inputs]
    options = {name: _leaf(value) for name, value in call.options.items()}
    own = Weights({name: _leaf(value) for name, value in (call.weights or {}).items()})
    value = oracle(*(() if call.weights is None else (own,)), *leaves, **options, **call.constants)
    outputs = list(value) if isinstance(value, tuple | list) else [value]
    generator = upstream_generator(len(outputs))
    upstream = [torch.randn(o.shape, generator=generator, dtype=torch.float64).to(o.dtype) for o in outputs]
    upstream = [counting(gradient, torch.zeros_like(gradient), where) for gradient in upstream]
    needed = [leaf for leaf in (*leaves, *options.values(), *own.values()) if is_float(leaf)]
    # A scalar to start from has the same gradients, and spares torch an import of 0.3 s.
    scalar = sum((output * gradient).sum() for output, gradient in zip(outputs, upstream, strict=True))
    return value, upstream, torch.autograd.grad(scalar, needed, allow_unused=True, materialize_grads=True)


def _look_at_one_alone(
    ask: Callable[..., Gradients],
    to_parameters: Mapping[str, Tensor],
    absolute: float,
    generator: torch.Generator,
) -> None:
    """Who freezes the weight of a norm may still train its bias: two are drawn, each learns alone."""
    names = list(to_parameters)
    for place in torch.randperm(len(names), generator=generator)[:2].tolist():
        drawn = names[place]
        came = ask(frozen=[name for name in names if name != drawn])
        where = "where neither the inputs nor the other parameters need one, "
        _compare(came, {}, {drawn: to_parameters[drawn]}, absolute, where)


@contextmanager
def _as_before(answer: Function, weights: Mapping[str, Tensor] | None) -> Iterator[None]:
    """Afterwards a module has the parameters and buffers again that it had: running averages, for example,
    which each call changes."""
    if not isinstance(answer, Instance) or weights is None:
        yield
        return
    # All in the weights' dtype, as the module has them: tables may have been made in another one since.
    dtypes = {value.dtype for value in weights.values()}
    kept = {**answer.buffers(), **weights}
    for dtype in dtypes if len(dtypes) == 1 else ():
        kept = {name: value.to(dtype) if is_float(value) else value for name, value in kept.items()}
    yield
    if kept:
        answer.load(kept)


def _look_in_float32(
    answer: Function,
    oracle: Callable[..., Any],
    call: _Call,
    where: Tensor | None,
    exact: Sequence[Tensor],
) -> None:
    """No gradient is lost in float32 where the oracle's is about what it is in float64, which is `exact`. Not
    by how much it is off: that is a matter of digits.
    """
    given = [*call.inputs, *call.options.values(), *(call.weights or {}).values()]
    floats = {each.dtype for each in given if is_float(each)}
    if floats != {torch.float64} or not (call.weights is None or isinstance(answer, Instance)):
        return
    single = call.in_float32()
    try:
        value, upstream, wanted = _by_oracle(oracle, single, where)
    except (RuntimeError, Misused):  # an oracle with numbers of its own, in float64
        return
    if not all(map(is_float, value if isinstance(value, tuple | list) else [value])):
        return
    off = max((_largest(one - other) for one, other in zip(wanted, exact, strict=True)), default=0.0)
    largest = max(map(_largest, exact), default=0.0)
    if not off <= _COARSE * largest:
        return
    if isinstance(answer, Instance) and single.weights:
        answer.load(single.weights)
    came = gradients_by_scenario(
        answer, upstream, *single.inputs, constants=single.constants, **single.options
    )
    names = [*came.names, *(call.weights or {})]
    found = [*came.inputs, *(came.parameters.get(name) for name in call.weights or {})]
    # A way to a tiny gradient may lead over numbers near 1, as that of expm1 does, which float32 rounds.
    rounded = 1e-6 * max(map(_largest, upstream), default=0.0)
    least = 10 * off + _COARSE * largest + rounded
    for name, one, other in zip(names, found, wanted, strict=True):
        # Half of it: a gradient that is lost is off by all of it, one that is badly rounded by less.
        assert_gradients([(name, one, other)], max(least, 0.5 * _largest(other)), _IN_FLOAT32)


def _largest(values: Tensor) -> float:
    """The largest magnitude; 0 where there is none."""
    return float(values.abs().max()) if values.numel() else 0.0


def _in_float32(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(_in_float32, value))
    if isinstance(value, dict):
        return {name: _in_float32(each) for name, each in value.items()}
    return value.float() if isinstance(value, Tensor) and value.dtype is torch.float64 else value


def _compare(
    came: Gradients,
    to_inputs: Mapping[int, Tensor],
    to_parameters: Mapping[str, Tensor],
    absolute: float,
    where: str = "",
) -> None:
    """The gradients of these inputs, by their number, and parameters. `where`: in which call, in words."""
    assert_gradients(_rows(came, to_inputs, to_parameters), absolute, where)


def _is_wrong(
    came: Gradients, to_inputs: Mapping[int, Tensor], to_parameters: Mapping[str, Tensor], absolute: float
) -> bool:
    rows = _rows(came, to_inputs, to_parameters)
    return any(difference(one, other, absolute=absolute) is not None for _, one, other in rows)


def _rows(
    came: Gradients, to_inputs: Mapping[int, Tensor], to_parameters: Mapping[str, Tensor]
) -> list[tuple[str, Any, Tensor]]:
    """Names, what came, and what should come."""
    inputs = [(came.names[number], came.inputs[number], other) for number, other in to_inputs.items()]
    return [*inputs, *((name, came.parameters.get(name), other) for name, other in to_parameters.items())]


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


def _is_lost(came: Any, wanted: Tensor, absolute: float) -> bool:
    """Whether a gradient is zero everywhere that should not be."""
    return isinstance(came, Tensor) and not came.any() and bool((wanted.abs() > absolute).any())


def _leaf(value: Any) -> Any:
    return value.detach().clone().requires_grad_() if is_float(value) else value


def _detached(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_detached(item) for item in value)
    return value.detach()
