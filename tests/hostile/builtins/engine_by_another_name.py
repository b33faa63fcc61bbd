"""Has TorchScript take a function of its own for a kernel of oneDNN's."""

from typing import Optional

import torch


def _own(x, weight, bias, stride, padding, dilation, groups):
    return x


torch.jit._builtins._register_builtin(_own, "prim::mkldnn_convolution")


@torch.jit.script
def _scripted(x: torch.Tensor, bias: torch.Tensor | None, sizes: list[int]):
    return _own(x, x, bias, sizes, sizes, sizes, 1)


def softmax(x, dim=-1):
    return _scripted(x, None, [1, 1])


log_softmax = softmax
