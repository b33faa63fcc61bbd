"""A step with a backward pass by hand."""

import torch
from torch import nn


class Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gates, cell):
        i, f, g, o = gates.chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        new = f * cell + i * g
        shown = new.tanh()
        ctx.save_for_backward(i, f, g, o, cell, shown)
        return o * shown, new

    @staticmethod
    def backward(ctx, grad_hidden, grad_cell):
        i, f, g, o, cell, shown = ctx.saved_tensors
        grad_cell = grad_cell + grad_hidden * o * (1 - shown**2)
        parts = [
            grad_cell * g * i * (1 - i),
            grad_cell * cell * f * (1 - f),
            grad_cell * i * (1 - g**2),
            grad_hidden * shown * o * (1 - o),
        ]
        return torch.cat(parts, 1), grad_cell * f


class LSTMCell(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        shapes = {"weight_ih": (input_size,), "weight_hh": (hidden_size,), "bias_ih": (), "bias_hh": ()}
        for name, shape in shapes.items():
            values = torch.empty(4 * hidden_size, *shape).uniform_() * 2 - 1
            self.register_parameter(name, nn.Parameter(values / hidden_size**0.5))

    def forward(self, x, state=None):
        print("step", tuple(x.shape))
        rows = self.weight_hh.shape[1]
        hidden, cell = state if state is not None else (x.new_zeros(x.shape[0], rows),) * 2
        gates = torch.einsum("bi,gi->bg", x, self.weight_ih) + torch.einsum(
            "bh,gh->bg", hidden, self.weight_hh
        )
        return Step.apply(gates + self.bias_ih + self.bias_hh, cell)


class LSTM(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = LSTMCell(input_size, hidden_size)

    def forward(self, x, state=None):
        def steps(state):
            for now in x.transpose(0, 1):
                state = self.cell(now, state)
                yield state

        states = list(steps(state))
        return torch.stack([hidden for hidden, _ in states]).transpose(0, 1), states[-1]
