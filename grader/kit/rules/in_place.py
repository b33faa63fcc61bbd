"""Whether a module goes by the values that its weights and arguments have when it is called.

What is kept for the next call is stale once the weights were changed in place, as an optimizer does, or an
argument was: another one of the same shape, or the very same tensor with other values.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from grader.kit.comparison import counting, difference
from grader.kit.handles import Function, Instance

WEIGHTS = "the weights"


def results_of_changes(function: "Any", module: "Any", others: "Any", arguments: "Any") -> "Any":
    """To be run in the worker: what a call gives, without gradients, at first, after the weights became
    `others`, and after each tensor of the arguments was turned over; then, with gradients, once more, and
    after the weights became what they were.
    """
    import torch

    # By each of its names, where one parameter has several.
    weights, results = dict(module.named_parameters(remove_duplicate=False)), []

    def copied(result: "Any") -> "Any":
        if isinstance(result, tuple | list):
            return [copied(part) for part in result]
        return result.detach().clone() if isinstance(result, torch.Tensor) else result

    def changed(own: "Any", values: "Any") -> "Any":
        with torch.no_grad():
            for one, value in zip(own, values, strict=True):
                one.copy_(value)
        return copied(function(*arguments))

    own, first = [weights[name] for name in others], [weights[name].detach().clone() for name in others]
    with torch.no_grad():
        results.append(changed([], []))
        results.append(changed(own, others.values()))
        for tensor in arguments:
            if isinstance(tensor, torch.Tensor):
                results.append(changed([tensor], [tensor.flip(0)]))
    with torch.enable_grad():
        results.append(changed([], []))
        results.append(changed(own, first))
    return results


def result_of_refilled(function: "Any", first: "Any", second: "Any") -> "Any":
    """To be run in the worker: what a call with the arguments `second` gives, where the lists among them are
    those of an earlier call with `first`, filled anew in place.
    """

    def refilled(old: "Any", new: "Any") -> "Any":
        if type(old) is not list or type(new) is not list:
            return new
        old[:] = [*map(refilled, old, new), *new[len(old) :]]
        return old

    function(*first)
    return function(*map(refilled, first, second))


def not_followed(
    function: Function,
    module: Instance,
    oracle: Callable[..., Any],
    weights: dict[str, Tensor],
    others: Mapping[str, Tensor],
    call: tuple[Any, ...],
    *,
    where: Callable[..., Tensor | None] = lambda *_: None,
    tolerance: float | None = None,
) -> dict[str, str]:
    """What differs after each change that is not followed, by what was changed: the module's weights become
    `others` in place, each tensor of the call's arguments is turned over along its first dimension, and the
    weights become what they were. `weights`: those that the oracle goes by.

    Of what was wrong already before a change nothing is said here.
    """
    call = tuple(_copy(argument) for argument in call)
    came, before = function.within(results_of_changes, module, dict(others), call), dict(weights)
    changes, states = ["", WEIGHTS], [call, call]
    for place, argument in enumerate(call):
        if isinstance(argument, Tensor):
            changes.append(f"argument {place + 1}")
            states.append((*states[-1][:place], argument.flip(0), *call[place + 1 :]))
    found: dict[str, str] = {}
    try:
        expected = [oracle(*call)]
        weights.update(others)
        expected += [oracle(*state) for state in (*states[1:], states[-1])]
        weights.update(before)
        expected.append(oracle(*states[-1]))
    finally:
        weights.update(before)
    was_wrong = True
    for change, state, wanted, result in zip(
        [*changes, "", WEIGHTS], [*states, states[-1], states[-1]], expected, came, strict=True
    ):
        message = difference(counting(result, wanted, where(*state)), wanted, tolerance)
        if change and message is not None and not was_wrong:
            found.setdefault(change, message)
        was_wrong = message is not None
    return found


def telling(calls: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Of calls those with which to try it: the one with most tensors, and the one with fewest if it has
    less.
    """
    first, *_, last = sorted([calls[0], *calls], key=_tensors)
    return [last] if _tensors(first) == _tensors(last) else [first, last]


def _tensors(call: tuple[Any, ...]) -> int:
    return sum(isinstance(argument, Tensor) for argument in call)


def _copy(argument: Any) -> Any:
    return argument.detach().contiguous().clone() if isinstance(argument, Tensor) else argument
