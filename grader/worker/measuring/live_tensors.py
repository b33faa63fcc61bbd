"""The tensors that this process holds, and those that an object does."""

import gc
from types import FunctionType, ModuleType
from typing import Any

from grader.worker.torch_import import kept_torch


def live_tensors() -> list[Any]:
    """All tensors that anything holds, in topics with torch."""
    gc.collect()
    tensor = kept_torch().Tensor
    return [item for item in gc.get_objects() if issubclass(type(item), tensor)]


def tensors_of(value: Any) -> list[Any]:
    """The tensors that an object holds, however deep in its attributes and containers."""
    torch = kept_torch()
    found, seen, left = [], set(), [value]
    while left:
        item = left.pop()
        if id(item) in seen or isinstance(item, type | ModuleType | FunctionType):
            continue
        seen.add(id(item))
        if isinstance(item, torch.Tensor):
            found.append(item)
        else:
            left += gc.get_referents(item)
    return found
