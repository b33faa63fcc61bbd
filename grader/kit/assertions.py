"""The assertions of check files. Each records what came, compares it here, and fails with one sentence."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.kit.comparison import counting, difference, kind_of
from grader.kit.counts import BY_CHANCE, Counts, chance
from grader.kit.handles import Function, Instance, Submission
from grader.kit.outcomes import CheckFailed, Crashed, NotWritten, Raised
from grader.kit.recording import fail, record
from grader.kit.rounds import is_second_round
from grader.kit.rules.calls_apart import written_to
from grader.kit.second_look import changed_by_scenario

_OVERWRITTEN = (
    "whoever called it goes on with other numbers than they had. Usual causes are an operation in place on "
    "the argument or on a view of it: x -= …, x[…] = …, a method that ends in an underscore "
    "(masked_fill_), out=. Make a new tensor, x = x - …, or take a copy first"
)


def assert_close(
    came: Any,
    expected: Any,
    *,
    tolerance: float | None = None,
    absolute: float | None = None,
    where: Tensor | None = None,
    what: str = "",
) -> None:
    """`came` has the type, shape, dtype and (nearly) the values of `expected`, which may be a tensor, an
    array, a number, or a tuple, list or dict of them. Values may be off by `tolerance` times the largest
    expected one (by default what suits the dtype, 1e-6 in float64), or by `absolute`. The values of a tensor
    count only `where` this is True (a boolean of its leading dimensions; a tensor without these counts as a
    whole): elsewhere it may hold anything."""
    came = counting(came, expected, where)
    record(came, expected, tolerance, absolute)
    _compared(difference(came, expected, tolerance, absolute), what)


def assert_numbers(
    came: Mapping[str, float], expected: Mapping[str, float], *, tolerance: float | None = None
) -> None:
    """Single numbers, by the names that the learner reads, are (nearly) those expected."""
    own, wanted = ([float(row[name]) for name in expected] for row in (came, expected))
    # In one row: for diagnosis a number alone is no evidence.
    record(torch.tensor(own, dtype=torch.float64), torch.tensor(wanted, dtype=torch.float64), tolerance)
    for name, one, other in zip(expected, own, wanted, strict=True):
        _compared(difference(one, other, tolerance), name)


def assert_equal(came: Any, expected: Any, *, what: str = "") -> None:
    """`came` is exactly `expected`, in type too."""
    record(came, expected)
    _compared(difference(came, expected, 0.0), what)


def assert_true(came: bool, message: str, *, seen: Any = None) -> None:
    """A fact that has no expected value; `message` says what is wrong, `seen` is the evidence that diagnosis
    compares.
    """
    record(came if seen is None else seen, True)
    if not came:
        fail(message)


def assert_at_most(came: float, limit: float, what: str, *, cause: str = "") -> None:
    """A count or a cost stays within its limit. `cause`: what it leads to and where it usually comes from, in
    whole sentences. How far below the limit it stays differs from answer to answer, and is no evidence.
    """
    record(float(max(came, limit)), float(limit))
    if not came <= limit:
        said = f"{what}: {_number(came)}, at most {_number(limit)} is allowed"
        fail(f"{said}. {cause}" if cause else said)


def assert_raises(function: Function, *args: Any, **kwargs: Any) -> None:
    """The call raises ValueError or AssertionError."""
    try:
        came = function(*args, **kwargs)
    except NotWritten:
        raise
    except Raised as raised:
        record(raised.types[0], "ValueError")
        if {"ValueError", "AssertionError"} & set(raised.types):
            return
        fail(f"it raises {raised.types[0]} instead of ValueError: {raised.message}")
        return
    record(kind_of(came), "ValueError")
    fail(f"it accepts {_call(args, kwargs)} instead of raising ValueError")


def assert_accepts(function: Function, *args: Any, **kwargs: Any) -> Any:
    """What the call gives. Some answers refuse it with a ValueError or AssertionError; they fail."""
    try:
        return function(*args, **kwargs)
    except NotWritten:
        raise
    except Raised as raised:
        if not {"ValueError", "AssertionError"} & set(raised.types):
            raise
        record("refused", "accepted")  # the words of the exception are each answer's own
        words = f"{raised.types[0]}: {raised.message}".removesuffix(": ")
        fail(message := f"it refuses {_call(args, kwargs)}, which is allowed: {words}")
        raise CheckFailed(message) from None  # there is no value to go on with


def assert_fits(
    submission: Submission, scenario: Callable[..., Any], *args: Any, expected: Callable[[], Any], memory: int
) -> None:
    """In the second round: the scenario gives what `expected()` does where the answer has no more than so
    many bytes of memory. What counts an answer's tensors shares its process; this bound is the system's. To
    be called at a size that does not fit where the rule on memory is broken.
    """
    if not is_second_round():
        return
    try:
        with submission.bounded(memory):
            came = submission.run(scenario, *args)
    except Crashed as crash:
        raise CheckFailed(f"it needs more than {memory / 2**20:.0f} MiB of memory: {crash}") from None
    assert_close(came, expected(), what=f"with {memory / 2**20:.0f} MiB of memory")


def assert_again(
    come: Callable[[], Any], expected: Callable[[], Any], *, tolerance: float | None = None, what: str = ""
) -> None:
    """In the second round: `come()` is (nearly) `expected()`. For a rule on cost where values tell as well
    whether it is kept: what counts an answer's operations shares its process.
    """
    if is_second_round():
        assert_close(come(), expected(), tolerance=tolerance, what=what)


def assert_inputs_unchanged(function: Function, *args: Any, **kwargs: Any) -> None:
    """The call writes to none of its arguments; nor to what an earlier one gave, and it keeps nothing of what
    they held.
    """
    written = written_to(function, *args, **kwargs)
    if written and not is_second_round():
        written = _changed_inputs(function, args, kwargs) or written  # by their names
    if not written and is_second_round():
        if isinstance(function, Instance):  # in training, where it is
            written = changed_by_scenario(function, *args, **kwargs)
        elif _is_data([args, kwargs]):  # what is a copy of float64 may be the argument itself in float32
            written = changed_by_scenario(function, *_in_float32(args), **_in_float32(kwargs))
    _fail_by_changes(written)


def _is_data(value: Any) -> bool:
    """Whether nothing of it is a function of the check's, say, which may want the dtype that it knows."""
    if isinstance(value, dict | list | tuple):
        return all(map(_is_data, value.values() if isinstance(value, dict) else value))
    return value is None or isinstance(value, Tensor | np.ndarray | bool | int | float | str)


def _in_float32(value: Any) -> Any:
    """The same in float32, where it is in float64; what holds others with the same in it."""
    if isinstance(value, Tensor):
        return value.float() if value.dtype == torch.float64 else value
    if isinstance(value, dict):
        return {name: _in_float32(item) for name, item in value.items()}
    return type(value)(map(_in_float32, value)) if isinstance(value, list | tuple) else value


def assert_arguments_unchanged(method: Function, *args: Any, **kwargs: Any) -> None:
    """The call, of a method that changes its object, say, writes to none of its arguments."""
    _fail_by_changes(_changed_inputs(method, args, kwargs))


def _changed_inputs(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[int, str]:
    changed_inputs = changed_by_scenario if is_second_round() else Function.changed_inputs
    return changed_inputs(function, *args, **kwargs)


def _fail_by_changes(changed: dict[int, str]) -> None:
    record(list(changed), [])
    if changed:
        fail(f"it writes to its argument {', '.join(changed.values())}: {_OVERWRITTEN}")


def assert_parameters(module: Instance, expected: Mapping[str, tuple[int, ...]]) -> None:
    """The module's parameters are these, by name and shape: none missing, none extra."""
    came = module.shapes()
    record(came, dict(expected))
    missing = [name for name in expected if name not in came]
    extra = [name for name in came if name not in expected]
    shapes = [
        f"{name} has shape {came[name]}, expected {shape}"
        for name, shape in expected.items()
        if name in came and came[name] != tuple(shape)
    ]
    parts = [f"missing: {', '.join(missing)}"] if missing else []
    parts += [f"not asked for: {', '.join(extra)}"] if extra else []
    _compared("; ".join(parts + shapes) or None, "parameters")


def assert_dropout_in_training_only(module: Instance, *inputs: Any, **kwargs: Any) -> None:
    """In training calls differ from each other; in evaluation they do not."""
    module.eval()
    still = [module(*inputs, **kwargs) for _ in range(2)]
    # For diagnosis not the values: two answers draw in other ways. Nearly the same will do: where a tensor
    # lies in memory decides the order in which a product adds up its terms.
    moved = difference(still[1], still[0])
    assert_true(moved is None, f"a second call in evaluation mode: {moved}", seen=moved is None)
    module.train()
    moving = [module(*inputs, **kwargs) for _ in range(2)]
    finite = all(not isinstance(value, Tensor) or bool(value.isfinite().all()) for value in moving)
    assert_true(finite, "there are NaN or inf in training mode", seen=finite)
    differs = difference(moving[1], moving[0], tolerance=1e-9) is not None
    assert_true(
        differs, "two calls in training mode give the same values: dropout does nothing", seen=differs
    )


def assert_nothing_dropped(
    module: Instance, *inputs: Any, expected: Any, where: Tensor | None = None, **kwargs: Any
) -> None:
    """In evaluation mode a call gives what is expected. If not, and a second call differs, that is said."""
    came = module.eval()(*inputs, **kwargs)
    is_wrong = difference(came, expected) is not None
    if is_wrong and difference(module(*inputs, **kwargs), came) is not None:
        assert_true(False, "two calls in evaluation mode differ: something is dropped", seen="random")
    assert_close(came, expected, where=where)


def assert_distribution(samples: Tensor, probabilities: Tensor, *, what: str = "samples") -> None:
    """The samples (integers) follow the probabilities: chi-square test at one in a billion, and nothing of
    probability zero is drawn."""
    counts = torch.bincount(samples.reshape(-1), minlength=len(probabilities)).double()
    record(Counts(counts), probabilities)
    impossible = counts[: len(probabilities)][probabilities == 0].sum() + counts[len(probabilities) :].sum()
    if impossible:
        fail(f"{what}: {int(impossible)} of {samples.numel()} are tokens that cannot be drawn")
        return
    possible = probabilities > 0
    expected = probabilities[possible].double() * samples.numel()
    statistic = ((counts[: len(probabilities)][possible] - expected) ** 2 / expected).sum()
    if chance(statistic, max(int(possible.sum()) - 1, 1)) < BY_CHANCE:
        worst = int((counts[: len(probabilities)] / samples.numel() - probabilities).abs().argmax())
        share, wanted = float(counts[worst]) / samples.numel(), float(probabilities[worst])
        fail(f"{what}: {worst} is drawn in {share:.1%} of the calls, expected {wanted:.1%}")


def _compared(difference: str | None, what: str) -> None:
    if difference is not None:
        fail(f"{what}: {difference}" if what else difference)


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"


def _call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    shown = [_argument(value) for value in args] + [
        f"{name}={_argument(value)}" for name, value in kwargs.items()
    ]
    return f"({', '.join(shown)})"


def _argument(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    return value.__name__ if inspect.isroutine(value) else repr(value)
