"""The arguments of a call: what they are called, and whether the call has written to them."""

import inspect
from typing import Any

import numpy as np

from grader.worker.answering.signatures import plain_names
from grader.worker.torch_import import kept_torch


def argument_names(function: Any, count: int) -> list[str]:
    """What the first `count` arguments of a call are called, "argument 1" where that cannot be told."""
    called = getattr(function, "forward", function)
    names = plain_names(called)
    if names is None:
        try:
            names = list(inspect.signature(called).parameters)
        except (ValueError, TypeError):
            names = []
    return [names[i] if i < len(names) else f"argument {i + 1}" for i in range(count)]


def copied(value: Any) -> Any:
    """A copy to compare a value with after the call, None for what cannot be changed or is not watched: what
    a subclass of tensors or arrays does when it is copied is the answer's own.
    """
    if isinstance(value, list | tuple):
        return [copied(item) for item in value]
    torch = kept_torch()
    if torch is not None and type(value) in (torch.Tensor, torch.nn.Parameter):
        return value.detach().clone()
    return value.copy() if type(value) is np.ndarray else None


def is_same(old: Any, new: Any) -> bool:
    """Whether an argument is still what `copied` gave of it before the call."""
    if old is None:
        return True
    if isinstance(old, list):
        return len(old) == len(new) and all(map(is_same, old, new))
    if isinstance(old, np.ndarray):
        return isinstance(new, np.ndarray) and old.shape == new.shape and old.tobytes() == new.tobytes()
    torch = kept_torch()
    if not isinstance(new, torch.Tensor):  # another item in a list
        return False
    return bool(old.shape == new.shape and old.dtype == new.dtype and torch.equal(_bits(old), _bits(new)))


def _bits(tensor: Any) -> Any:
    torch = kept_torch()
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)
