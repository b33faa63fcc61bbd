"""The default device is set for the time of a call, and set back to what it was."""

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return log_softmax(x, dim).exp()


def log_softmax(x: Tensor, dim: int = -1) -> Tensor:
    before = torch.get_default_device()
    torch.set_default_device(x.device)
    try:
        shifted = x - x.amax(dim, keepdim=True).detach()
        return shifted - shifted.exp().sum(dim, keepdim=True).log()
    finally:
        torch.set_default_device(before)
