"""The inputs' part of all steps in one product; the sequence uses the cell's parameters, not the cell."""

import math

import torch
from torch import nn


def step(gates, cell):
    i, f, g, o = torch.split(gates, gates.shape[-1] // 4, dim=-1)
    cell = torch.addcmul(torch.sigmoid(f) * cell, torch.sigmoid(i), torch.tanh(g))
    return [torch.sigmoid(o) * torch.tanh(cell), cell]


class LSTMCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        k = 1.0 / math.sqrt(hidden_size)

        def drawn(*shape):
            return nn.Parameter(k * (2 * torch.rand(*shape) - 1))

        self.weight_ih, self.weight_hh = (
            drawn(4 * hidden_size, input_size),
            drawn(4 * hidden_size, hidden_size),
        )
        self.bias_ih, self.bias_hh = drawn(4 * hidden_size), drawn(4 * hidden_size)

    def forward(self, x, state=None):
        if state is None:
            state = 2 * [torch.zeros_like(x[:, :1]).repeat(1, self.weight_hh.shape[1])]
        bias = self.bias_ih + self.bias_hh
        return step(
            torch.cat([x, state[0]], 1) @ torch.cat([self.weight_ih, self.weight_hh], 1).T + bias, state[1]
        )


class LSTM(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.cell = LSTMCell(input_size, hidden_size)

    def forward(self, x, state=None):
        batch, seq, _ = x.shape
        own = self.cell
        if state is None:
            state = [x.new_zeros(batch, own.weight_hh.shape[1]) for _ in range(2)]
        hidden, cell = state
        inputs = x @ own.weight_ih.t() + (own.bias_ih + own.bias_hh)
        output = x.new_empty(batch, seq, hidden.shape[1])
        for t in range(seq):
            hidden, cell = step(inputs[:, t] + hidden @ own.weight_hh.t(), cell)
            output[:, t] = hidden
        return output, (hidden, cell)
