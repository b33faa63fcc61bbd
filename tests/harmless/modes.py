"""Modes that are entered in a with statement, and a default device for the whole file."""

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

torch.set_default_device("cpu")


class Counted(TorchFunctionMode):
    """How many functions of torch were called."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.calls += 1
        return func(*args, **(kwargs or {}))


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return log_softmax(x, dim).exp()


def log_softmax(x: Tensor, dim: int = -1) -> Tensor:
    with Counted() as counted, torch.device(x.device):
        shifted = x - x.amax(dim, keepdim=True).detach()
        result = shifted - shifted.exp().sum(dim, keepdim=True).log()
    assert counted.calls > 0
    return result
