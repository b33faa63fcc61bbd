"""LSTM: a recurrent layer that keeps a cell, which gates write to, wipe and read from.

From "Long Short-Term Memory" (Hochreiter and Schmidhuber 1997) with the forget gate of Gers et al. (2000).
Forbidden: nn.LSTM, nn.LSTMCell, the other built-in recurrent layers and cells; sigmoid and tanh are allowed.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


class LSTMCell(nn.Module):
    """One step. Parameters: `weight_ih` (4 * hidden_size, input_size), `weight_hh` (4 * hidden_size,
    hidden_size), `bias_ih` and `bias_hh` (4 * hidden_size,); no others. Their rows are those of four gates,
    in PyTorch's order: input, forget, cell (the candidate, with tanh), output.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        """All parameters start uniformly between ±1/sqrt(hidden_size), in float32 where that is the
        default dtype. Each number is drawn by itself, anew for each cell; what random numbers you use is up
        to you.
        """
        super().__init__()
        bound = 1 / math.sqrt(hidden_size)
        self.hidden_size = hidden_size
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size).uniform_(-bound, bound))
        self.bias_ih = nn.Parameter(torch.empty(4 * hidden_size).uniform_(-bound, bound))
        self.bias_hh = nn.Parameter(torch.empty(4 * hidden_size).uniform_(-bound, bound))

    def forward(
        self,
        x: Float[Tensor, "batch input_size"],
        state: tuple[Float[Tensor, "batch hidden_size"], Float[Tensor, "batch hidden_size"]] | None = None,
    ) -> tuple[Float[Tensor, "batch hidden_size"], Float[Tensor, "batch hidden_size"]]:
        """The next state (hidden, cell). `state` is the last one, (hidden, cell) too; None means zeros.

            gates = weight_ih x + bias_ih + weight_hh hidden + bias_hh
            cell = sigmoid(forget) * cell + sigmoid(input) * tanh(candidate)
            hidden = sigmoid(output) * tanh(cell), with the new cell

        All is in the dtype of `x`, the state and the parameters (float32 or float64), any layout, and on
        their device, whatever the default device is; the state of None too. No argument is modified. The
        gradients of `x`, the state and the parameters are the true ones, also where gates and cells are so
        large (±1000) that exp overflows. The same in training and evaluation. The pair may be a named tuple.
        """
        if state is None:
            state = (x.new_zeros(len(x), self.hidden_size),) * 2
        hidden, cell = state
        gates = x @ self.weight_ih.T + self.bias_ih + hidden @ self.weight_hh.T + self.bias_hh
        input_gate, forget_gate, candidate, output_gate = gates.chunk(4, dim=1)  # (batch, hidden_size) each
        # The cell is a sum over time: where the forget gate is open, gradients pass it unchanged.
        cell = torch.sigmoid(forget_gate) * cell + torch.sigmoid(input_gate) * torch.tanh(candidate)
        hidden = torch.sigmoid(output_gate) * torch.tanh(cell)
        return hidden, cell


class LSTM(nn.Module):
    """A sequence: one layer in one direction, batch first. Its cell, an LSTMCell, is `cell`, so that
    parameters are `cell.weight_ih` and so on; there are no others.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.cell = LSTMCell(input_size, hidden_size)

    def forward(
        self,
        x: Float[Tensor, "batch seq input_size"],
        state: tuple[Float[Tensor, "batch hidden_size"], Float[Tensor, "batch hidden_size"]] | None = None,
    ) -> tuple[
        Float[Tensor, "batch seq hidden_size"],
        tuple[Float[Tensor, "batch hidden_size"], Float[Tensor, "batch hidden_size"]],
    ]:
        """(output, (hidden, cell)): the hidden states of all steps, and the state behind the last one.

        The state has no dimension for layers. `state` is that before the first step, None means zeros; so a
        sequence in two pieces, with the state handed on, gives the same as the whole. seq is at least 1.
        Gradients run through all steps into `x`, the state and the parameters. The rest is as in LSTMCell,
        whose parameters may be used without calling it.
        """
        outputs = []
        for step in x.unbind(dim=1):
            hidden, cell = state = self.cell(step, state)
            outputs.append(hidden)
        return torch.stack(outputs, dim=1), (hidden, cell)
