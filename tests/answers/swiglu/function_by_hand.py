"""Hand-written autograd.Function for silu(gate) * up; own dropout mask by bernoulli_; integer arithmetic
for the width.
"""

import torch
from torch import nn


def swiglu_intermediate_size(hidden_size, multiple_of=1):
    width = 8 * hidden_size // 3
    return -(-width // multiple_of) * multiple_of


class _SiluMul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up):
        ctx.save_for_backward(gate, up)
        return torch.sigmoid(gate).mul_(gate).mul_(up)

    @staticmethod
    def backward(ctx, grad):
        gate, up = ctx.saved_tensors
        s = torch.sigmoid(gate)
        grad_gate = grad_up = None
        if ctx.needs_input_grad[0]:
            grad_gate = grad * up * s * (1 + gate * (1 - s))
        if ctx.needs_input_grad[1]:
            grad_up = grad * (gate * s)
        return grad_gate, grad_up


class SwiGLU(nn.Module):
    def __init__(self, hidden_size, intermediate_size, dropout=0.0):
        super().__init__()
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)
        self.p = dropout

    def forward(self, x):
        y = self.down_proj(_SiluMul.apply(self.gate_proj(x), self.up_proj(x)))
        if self.training and self.p > 0:
            keep = torch.empty_like(y).bernoulli_(1 - self.p)
            y = y * keep / (1 - self.p)
        return y
