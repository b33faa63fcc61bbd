"""The small functions of the checks that run beside a submission, and what they find by which name."""

import math
import sys
from functools import lru_cache
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from grader.worker.measuring.live_tensors import live_tensors
from grader.worker.walls.builtins.differentiation import backward


class Scenarios:
    """Libraries as they are when this is made, before there is a submission: what it puts in the place of
    torch's functions, and takes back before anybody looks, is not what a check's code calls.
    """

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"math": _copied(math), "np": _copied(np)}
        if (torch := sys.modules.get("torch")) is not None:
            own = _copied(torch)
            own.nn, own.autograd = _copied(torch.nn), _copied(torch.autograd)
            own.nn.functional = _copied(torch.nn.functional)
            self._names |= {"torch": own, "nn": own.nn, "F": own.nn.functional, "Tensor": torch.Tensor}
            self._names |= {"live_tensors": live_tensors, "backward": backward}

    def function(self, text: str, name: str) -> Any:
        """The function of this name in a check's text."""
        space = dict(self._names)
        exec(_compiled(text), space)
        return space[name]


def _copied(module: ModuleType) -> Any:
    copied = ModuleType(module.__name__)
    vars(copied).update(vars(module))
    return copied


@lru_cache
def _compiled(text: str) -> CodeType:
    """A check asks for the same with each of its cases."""
    return compile(text, "<scenario>", "exec")
