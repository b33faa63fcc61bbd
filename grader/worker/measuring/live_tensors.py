"""The tensors that this process holds, and those that an object does."""

import gc
import sys
from types import FunctionType, ModuleType
from typing import Any


def live_tensors() -> list[Any]:
    """All tensors that anything holds, in topics with torch."""
    gc.collect()
    tensor = sys.modules["torch"].Tensor
    return [item for item in gc.get_objects() if issubclass(type(item), tensor)]


def tensors_of(value: Any) -> list[Any]:
    """The tensors that an object holds, however deep in its attributes and containers."""
    torch = sys.modules["torch"]
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
