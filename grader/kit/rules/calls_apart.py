"""Whether calls keep apart: what one gave stays as it is, and the next goes by what its arguments hold then.

Without gradients a result may be written into memory that is kept, and what was made of an argument may be
found again by that object, though the caller has changed it in place.
"""

from typing import Any

import numpy as np
import torch

from grader.kit.comparison import difference
from grader.kit.handles import Function, Instance
from grader.kit.recording import fail, record
from grader.kit.rules.side_effects import OVERWRITTEN
from grader.kit.second_look import changed_between

_KEPT = (
    "it goes by what an argument held in an earlier call: where a caller has changed the same tensor or "
    "array in place, the next call gives other values than for a new one that holds the same. The usual "
    "cause is a result that is kept by the argument (itself, its id, its address) and found again. Compute "
    "it in each call."
)


def written_to(function: Function, *args: Any, **kwargs: Any) -> dict[int, str]:
    """The arguments that calls write to, without gradients or with them: their numbers (positional first),
    and these as names. Where there are none, fails if a call writes to what an earlier one gave, or does not
    go by what its arguments hold then: the same ones, turned over in place, count as new ones would.
    """
    came = function.within(_called_again, list(args), kwargs)
    written = changed_between([*args, *kwargs.values()], came["left"]) | changed_between(*came["again"])
    first, before, second, anew = (came[name] for name in ("first", "before", "second", "anew"))
    wrong = []
    if not written and _is_plain([before, second, anew]):
        if difference(first, before, 0.0) is not None:
            wrong = ["overwritten"]
        elif difference(second, anew) is not None and _is_sure(function, args, kwargs):
            wrong = ["kept"]
    record(wrong, [])
    if wrong:
        fail(OVERWRITTEN if wrong == ["overwritten"] else _KEPT)
    return written


def _is_plain(value: Any) -> bool:
    """Whether it holds values alone: an object is what it does."""
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if isinstance(value, list | tuple) else not isinstance(value, Instance)


def _is_sure(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether calls with new arguments give the same, without gradients and with them: if they do not, that
    is another mistake, or what is drawn.
    """
    one, other = function.within(_called_anew, list(args), kwargs)
    return difference(one, other) is None


def _called_again(function: "Any", args: "Any", kwargs: "Any") -> "Any":
    """To be run in the worker: a call without gradients, one with the same arguments, turned over in place,
    and one with gradients and new arguments that hold the same. By name: the arguments as the first has
    `left` them, and those of the last before and after it (`again`); the first result, as it was (`before`)
    and as it is in the end (but where it shares memory with an argument); and the other two.
    """
    has_torch = "torch" in globals()

    def is_numpy(value: "Any") -> "Any":
        return type(value) is np.ndarray

    def is_tensor(value: "Any") -> "Any":  # what a subclass does when it is copied is the answer's own
        return has_torch and type(value) in (torch.Tensor, torch.nn.Parameter)

    def arrays(value: "Any") -> "Any":
        if isinstance(value, (list, tuple, dict)):
            inner = value.values() if isinstance(value, dict) else value
            return [array for item in inner for array in arrays(item)]
        return [value] if is_numpy(value) or is_tensor(value) else []

    def copied(value: "Any") -> "Any":
        if isinstance(value, (list, tuple)):
            return [copied(item) for item in value]
        if isinstance(value, dict):
            return {key: copied(item) for key, item in value.items()}
        if is_tensor(value) and value.numel() <= 2**24:  # of a larger one it will be said that it is
            return torch.clone(torch.detach(value))
        return value.copy() if is_numpy(value) else value

    def memory(array: "Any") -> "Any":
        if is_numpy(array):
            return array.__array_interface__["data"][0] if array.base is None else memory(array.base)
        return array.untyped_storage().data_ptr() if hasattr(array, "untyped_storage") else 0

    def called(args: "Any", kwargs: "Any", differentiable: "Any") -> "Any":
        np.random.seed(0)
        if not has_torch:
            return function(*args, **kwargs)
        torch.default_generator.manual_seed(0)
        try:
            with torch.set_grad_enabled(differentiable):
                return function(*args, **kwargs)
        except RuntimeError:
            if differentiable:
                raise
            return function(*args, **kwargs)  # it uses autograd inside

    owner = getattr(function, "__self__", function)
    was_training = has_torch and isinstance(owner, torch.nn.Module) and owner.training
    if was_training:  # what is kept is kept for evaluation, usually, and nothing is drawn there
        owner.eval()
    others = copied(args), copied(kwargs)
    first = called(args, kwargs, False)
    before, left = copied(first), copied([*args, *kwargs.values()])
    given = arrays([args, kwargs])
    is_shared = {memory(array) for array in given} & {memory(array) for array in arrays([first])}
    second = None
    try:
        for array in given:
            if array.ndim:
                array[...] = copied(np.flip(array) if is_numpy(array) else array.flip(*range(array.ndim)))
        turned = copied(args), copied(kwargs)
        second = copied(called(args, kwargs, False))
        others = turned
    except Exception:  # turned over, they may be none that it takes, or one may lie in memory too often
        pass
    sent = copied([*others[0], *others[1].values()])
    anew = copied(called(*others, True))
    if was_training:
        owner.train()
    return {
        "left": left,
        "again": [sent, copied([*others[0], *others[1].values()])],
        "before": before,
        "first": before if is_shared else copied(first),
        "second": anew if second is None else second,
        "anew": anew,
    }


def _called_anew(function: "Any", args: "Any", kwargs: "Any") -> "Any":
    """To be run in the worker: what two calls give whose arguments hold the same, without gradients and with
    them.
    """

    def copied(value: "Any") -> "Any":
        if isinstance(value, (list, tuple)):
            return [copied(item) for item in value]
        if "torch" in globals() and type(value) is torch.Tensor:
            return torch.clone(value)
        return value.copy() if type(value) is np.ndarray else value

    owner, results = getattr(function, "__self__", function), []
    was_training = "torch" in globals() and isinstance(owner, torch.nn.Module) and owner.training
    if was_training:
        owner.eval()
    for differentiable in (False, True):
        own, named = copied(args), {name: copied(value) for name, value in kwargs.items()}
        np.random.seed(0)
        if "torch" in globals():
            torch.default_generator.manual_seed(0)
            torch.set_grad_enabled(differentiable)
        try:
            results.append(copied(function(*own, **named)))
        except RuntimeError:
            if differentiable:
                raise
            continue  # it uses autograd inside
    if was_training:
        owner.train()
    return results[0], results[-1]
