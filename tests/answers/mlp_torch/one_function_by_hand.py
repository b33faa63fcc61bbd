"""Both layers as one hand-written autograd.Function with addmm, ReLU in place on its own tensor."""

import math

import torch
from torch import nn


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w1, b1, w2, b2):
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        hidden = torch.addmm(b1, rows, w1.t()).relu_()
        ctx.save_for_backward(x, w1, w2, hidden)
        return torch.addmm(b2, hidden, w2.t()).view(*x.shape[:-1], w2.shape[0])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, w1, w2, hidden = ctx.saved_tensors
        need = ctx.needs_input_grad
        n = math.prod(x.shape[:-1])
        g = grad.reshape(n, w2.shape[0])
        dx = dw1 = db1 = dw2 = db2 = None
        if need[3]:
            dw2 = torch.mm(g.t(), hidden)
        if need[4]:
            db2 = g.sum(0)
        if any(need[:3]):
            dh = torch.mm(g, w2).mul_(hidden > 0)
            if need[0]:
                dx = torch.mm(dh, w1).view(x.shape)
            if need[1]:
                dw1 = torch.mm(dh.t(), x.reshape(n, x.shape[-1]))
            if need[2]:
                db1 = dh.sum(0)
        return dx, dw1, db1, dw2, db2


class MLP(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)

    def forward(self, x):
        return _Function.apply(x, self.fc1.weight, self.fc1.bias, self.fc2.weight, self.fc2.bias)
