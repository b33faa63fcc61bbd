"""One gate after the other, in a named tuple."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn


class State(NamedTuple):
    hidden: torch.Tensor
    cell: torch.Tensor


class LSTMCell(nn.Module):
    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__()
        self.h = hidden_size
        self.bias_hh = nn.Parameter(torch.zeros(4 * hidden_size))
        self.bias_ih = nn.Parameter(torch.zeros(4 * hidden_size))
        self.weight_hh = nn.Parameter(torch.zeros(4 * hidden_size, hidden_size))
        self.weight_ih = nn.Parameter(torch.zeros(4 * hidden_size, input_size))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def gate(self, number, x, hidden):
        rows = slice(number * self.h, (number + 1) * self.h)
        from_input = F.linear(x, self.weight_ih[rows], self.bias_ih[rows])
        return from_input + F.linear(hidden, self.weight_hh[rows], self.bias_hh[rows])

    def forward(self, x, hx=None):
        if hx is None:
            zeros = torch.zeros(x.shape[0], self.h, dtype=x.dtype, device=x.device)
            hx = State(zeros, zeros)
        h, c = hx
        i = self.gate(0, x, h).sigmoid()
        f = self.gate(1, x, h).sigmoid()
        g = self.gate(2, x, h).tanh()
        o = self.gate(3, x, h).sigmoid()
        c = f * c + i * g
        return State(hidden=o * c.tanh(), cell=c)


class LSTM(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.add_module("cell", LSTMCell(input_size, hidden_size))

    def forward(self, x, hx=None):
        output = []
        for t in range(x.size(1)):
            hx = self.cell(x[:, t, :], hx)
            output += [hx.hidden[:, None]]
        return torch.cat(output, 1), hx
