"""Known wrong versions of the state of `lstm`, and of how it goes through a sequence."""

from grader.kit import Mistake

_CELL = "        cell = torch.sigmoid(forget_gate) * cell + torch.sigmoid(input_gate) * torch.tanh(candidate)"
_NONE = "            state = (x.new_zeros(len(x), self.hidden_size),) * 2"
_STEPS = "        for step in x.unbind(dim=1):"
_STEP = "            hidden, cell = state = self.cell(step, state)"
_RETURN = "        return torch.stack(outputs, dim=1), (hidden, cell)"
_APART = "            hidden, cell = self.cell(step, state)\n"
_CUT = _APART + "            state = hidden.detach(), cell.detach()"
_TAKEN = "        hidden, cell = state\n"
_GIVEN = "        return hidden, cell"
_PRODUCTS = "x @ self.weight_ih.T + self.bias_ih + hidden @ self.weight_hh.T + self.bias_hh"
_BY_LINEAR = (
    "nn.functional.linear(x, self.weight_ih, self.bias_ih)"
    " + nn.functional.linear(hidden, self.weight_hh, self.bias_hh)"
)
_BY_EINSUM = (
    "torch.einsum('bi,gi->bg', x, self.weight_ih) + self.bias_ih"
    " + torch.einsum('bh,gh->bg', hidden, self.weight_hh) + self.bias_hh"
)
_SPELLINGS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("", ()),
    ("-by-linear", ((_PRODUCTS, _BY_LINEAR),)),
    ("-by-einsum", ((_PRODUCTS, _BY_EINSUM),)),
)
"""The same, but for the words of an exception."""

MISTAKES = [
    Mistake(
        "old-cell-without-the-way-through-hidden",
        find=_CELL,
        replace="""\
        added = torch.sigmoid(input_gate) * torch.tanh(candidate)
        squashed = torch.tanh(torch.sigmoid(forget_gate) * cell.detach() + added)
        cell = torch.sigmoid(forget_gate) * cell + added""",
        also=(("torch.sigmoid(output_gate) * torch.tanh(cell)", "torch.sigmoid(output_gate) * squashed"),),
        says="The gradient of the old cell is only that which comes from the new cell, times the forget "
        "gate. The new hidden state depends on the new cell too: add grad_hidden * output gate * (1 - "
        "tanh(cell)²) before you multiply.",
    ),
    Mistake(
        "state-taken-the-other-way-round",
        find=_TAKEN,
        replace="        cell, hidden = state\n",
        says="You take the state as (cell, hidden). It is (hidden, cell), coming in as going out.",
    ),
    Mistake(
        "state-given-the-other-way-round",
        find=_GIVEN,
        replace="        return cell, hidden",
        also=(
            (_STEP, "            cell, hidden = self.cell(step, state)\n            state = (hidden, cell)"),
        ),
        says="Your cell gives its state as (cell, hidden). It is (hidden, cell), coming in as going out.",
    ),
    Mistake(
        "state-the-other-way-round",
        find=_TAKEN,
        replace="        cell, hidden = state\n",
        also=(
            (_GIVEN, "        return cell, hidden"),
            (_STEP, "            cell, hidden = state = self.cell(step, state)"),
            (_RETURN, "        return torch.stack(outputs, dim=1), (cell, hidden)"),
        ),
        says="Your states are (cell, hidden), coming in and going out. They are (hidden, cell).",
    ),
    Mistake(
        "last-state-the-other-way-round",
        find=_RETURN,
        replace="        return torch.stack(outputs, dim=1), (cell, hidden)",
        says="Your LSTM gives its last state as (cell, hidden). It is (hidden, cell).",
    ),
    Mistake(
        "outputs-are-cells",
        find="            outputs.append(hidden)",
        replace="            outputs.append(cell)",
        says="Your output holds the cells. It holds the hidden states: what a cell shows of itself.",
    ),
    Mistake(
        "time-and-batch-swapped",
        find=_STEPS,
        replace="        for step in x.unbind(dim=0):",
        also=((_RETURN, "        return torch.stack(outputs, dim=0), (hidden, cell)"),),
        says="You go along dimension 0. That is the batch here (batch first): steps are x[:, t].",
    ),
    Mistake(
        "input-reshaped-to-time-first",
        find="        for step in x.unbind(dim=1):\n",
        replace="        for step in x.reshape(x.shape[1], len(x), -1):\n",
        says="You put time in front with a reshape (or view) of x, which keeps the order in memory: with "
        "several sequences, steps of one stand in another. Transpose, or walk along dim=1.",
    ),
    Mistake(
        "outputs-stacked-in-front",
        find=_RETURN,
        replace="        return torch.stack(outputs), (hidden, cell)",
        says="Your output is (seq, batch, hidden): stack puts steps in front unless told dim=1. Asked for "
        "is (batch, seq, hidden).",
    ),
    Mistake(
        "outputs-reshaped-to-batch-first",
        find=_RETURN,
        replace="        return torch.stack(outputs).reshape(len(x), x.shape[1], -1), (hidden, cell)",
        says="You put your outputs one step behind the other, time in front, and only reshape that to "
        "(batch, seq, hidden): sequences get each other's rows. Transpose, or stack with dim=1.",
    ),
    Mistake(
        "only-the-last-output",
        find=_RETURN,
        replace="        return hidden, (hidden, cell)",
        says="Your output is the last hidden state. It holds those of all steps, (batch, seq, hidden).",
    ),
    Mistake(
        "backwards-in-time",
        find=_STEPS,
        replace="        for step in x.flip(1).unbind(dim=1):",
        says="You begin with the last step. Time runs forwards: x[:, 0] first.",
    ),
    Mistake(
        "state-detached",
        find=_STEP,
        replace=_CUT,
        says="You cut the state off from the graph between steps, so gradients reach no earlier step. That "
        "is done between pieces of a very long sequence, by whoever hands the state on; within a piece "
        "gradients run through all steps.",
    ),
    Mistake(
        "state-detached-to-the-end",
        find=_STEP,
        replace=_CUT,
        also=((_RETURN, "        return torch.stack(outputs, dim=1), state"),),
        says="You cut the state off from the graph between steps, so gradients reach no earlier step, and "
        "none flows out of the last state either. That is done between pieces of a very long sequence, by "
        "whoever hands the state on; within a piece gradients run through all steps.",
    ),
    Mistake(
        "hidden-detached",
        find=_STEP,
        replace="            state = None if state is None else (state[0].detach(), state[1])\n" + _STEP,
        says="You cut the hidden state off from the graph between steps, so gradients run back through the "
        "cell alone. Both carry them.",
    ),
    Mistake(
        "state-ignored-by-the-sequence",
        find="        outputs = []",
        replace="        outputs, state = [], None",
        says="Your LSTM begins with zeros whatever state is handed in. Zeros are for None.",
    ),
    Mistake(
        "cell-of-the-given-state-ignored",
        find="        outputs = []",
        replace="        outputs = []\n        state = state and (state[0], torch.zeros_like(state[0]))",
        says="Of the state that is handed in your LSTM uses the hidden half only, and its cell begins with "
        "zeros. Both halves go into the first step.",
    ),
    Mistake(
        "state-ignored-by-the-cell",
        find="        if state is None:",
        replace="        if True:",
        says="Your cell begins with zeros at every step whatever state it gets. Zeros are for None.",
    ),
    Mistake(
        "state-not-handed-on",
        find=_STEP,
        replace="            hidden, cell = self.cell(step, state)",
        says="Every step of your sequence begins with the same state. The state that a step gives goes into "
        "the next one.",
    ),
    *(
        Mistake(
            f"start-state-in-the-default-dtype{id}",
            find=_NONE,
            replace="            state = (torch.zeros(len(x), self.hidden_size, device=x.device),) * 2",
            also=also,
            says="Your state of zeros is float32 whatever x is, and raises (or gives another dtype) with "
            "float64. Make it with x.new_zeros, or dtype=x.dtype.",
        )
        for id, also in _SPELLINGS
    ),
    Mistake(
        "start-state-on-the-default-device",
        find=_NONE,
        replace="            state = (torch.zeros(len(x), self.hidden_size, dtype=x.dtype),) * 2",
        says="Your state of zeros is on the default device, which may be another one than that of x. Make "
        "it with x.new_zeros, or device=x.device.",
    ),
    *(
        Mistake(
            f"start-state-in-the-default-dtype-and-on-the-default-device{id}",
            find=_NONE,
            replace="            state = (torch.zeros(len(x), self.hidden_size),) * 2",
            also=also,
            says="Your state of zeros has the default dtype and is on the default device, whatever those of "
            "x are. Make it with x.new_zeros, or dtype=x.dtype, device=x.device.",
        )
        for id, also in _SPELLINGS
    ),
    Mistake(
        "start-state-of-ones",
        find=_NONE,
        replace="            state = (torch.ones_like(x[:, :1]).expand(-1, self.hidden_size),) * 2",
        says="Without a state you do not begin with zeros (but with ones, for example). None means zeros.",
    ),
    Mistake(
        "old-cell-overwritten",
        find=_CELL,
        replace="        cell.mul_(torch.sigmoid(forget_gate))\n"
        "        cell.add_(torch.sigmoid(input_gate) * torch.tanh(candidate))",
        also=((_NONE, "            state = tuple(x.new_zeros(len(x), self.hidden_size) for _ in range(2))"),),
        says="You write into the cell that was handed in (cell *= …, say), so whoever called goes on with "
        "other numbers than they had. Make a new tensor.",
    ),
    Mistake(
        "old-cell-overwritten-in-the-cell-alone",
        find=_CELL,
        replace="        cell.mul_(torch.sigmoid(forget_gate))\n"
        "        cell = cell + torch.sigmoid(input_gate) * torch.tanh(candidate)",
        also=(
            (_NONE, "            state = tuple(x.new_zeros(len(x), self.hidden_size) for _ in range(2))"),
            (_STEP, _STEP.replace("step, state", "step, state and tuple(each.clone() for each in state)")),
        ),
        says="Your LSTMCell writes into the cell that it is given (cell *= …, say). Your LSTM hands it a "
        "copy, but whoever else calls it goes on with other numbers than they had. Make a new tensor.",
    ),
    Mistake(
        "hidden-detached-between-steps",
        find=_STEP,
        replace=_APART + "            state = hidden.detach(), cell",
        says="You cut the hidden state that a step hands on off from the graph, so gradients run back "
        "through the cell alone (and into the state that is handed in). Both carry them, at every step.",
    ),
    Mistake(
        "cell-detached",
        find=_STEP,
        replace="            state = None if state is None else (state[0], state[1].detach())\n" + _STEP,
        says="You cut the cell off from the graph in front of every step, so gradients run back through "
        "the hidden state alone. The cell is what carries them far.",
    ),
    Mistake(
        "cell-detached-between-steps",
        find=_STEP,
        replace=_APART + "            state = hidden, cell.detach()",
        says="You cut the cell that a step hands on off from the graph, so gradients run back through the "
        "hidden state alone. The cell is what carries them far: hand it on as it is.",
    ),
    Mistake(
        "given-state-detached",
        find="        outputs = []",
        replace="        outputs, state = [], state and tuple(each.detach() for each in state)",
        says="No gradient reaches the state that is handed in. Whoever wants it cut off does that; in the "
        "layer gradients run into it.",
    ),
    Mistake(
        "last-state-detached",
        find=_RETURN,
        replace="        return torch.stack(outputs, dim=1), (hidden.detach(), cell.detach())",
        says="The state that you give back is cut off from the graph: a loss on it, or on what comes after "
        "it, sends nothing back. Give it as it is.",
    ),
    Mistake(
        "given-state-the-other-way-round",
        find="        outputs = []",
        replace="        outputs, state = [], state and tuple(state)[::-1]",
        says="Your LSTM takes the state that is handed in as (cell, hidden), and gives back (hidden, cell). "
        "It is (hidden, cell) both times.",
    ),
    Mistake(
        "outputs-one-step-late",
        find=_STEP + "\n            outputs.append(hidden)",
        replace="            zeros = x.new_zeros(len(x), self.cell.hidden_size)\n"
        "            outputs.append(zeros if state is None else state[0])\n" + _STEP,
        says="Your output holds the hidden state before each step. It holds the one after it: the last "
        "output is the last hidden state.",
    ),
    Mistake(
        "detached-in-evaluation",
        find="            outputs.append(hidden)",
        replace="            outputs.append(hidden if self.training else hidden.detach())",
        says="In evaluation no gradient comes out of your outputs. Training and evaluation are the same: "
        "whoever needs no gradients says so, by torch.no_grad().",
    ),
    Mistake(
        "hidden-for-the-last-cell",
        find=_RETURN,
        replace="        return torch.stack(outputs, dim=1), (hidden, hidden)",
        says="Your last state has the hidden state twice. Its second half is the cell.",
    ),
]
