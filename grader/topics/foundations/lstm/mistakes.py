"""Known wrong versions of `lstm`."""

from grader.kit import Mistake

_CHUNK = "        input_gate, forget_gate, candidate, output_gate = gates.chunk(4, dim=1)"
_CELL = "        cell = torch.sigmoid(forget_gate) * cell + torch.sigmoid(input_gate) * torch.tanh(candidate)"
_HIDDEN = "        hidden = torch.sigmoid(output_gate) * torch.tanh(cell)"
_GATES = "        gates = x @ self.weight_ih.T + self.bias_ih + hidden @ self.weight_hh.T + self.bias_hh"
_BOUND = "        bound = 1 / math.sqrt(hidden_size)"
_BIAS_IH = "        self.bias_ih = nn.Parameter(torch.empty(4 * hidden_size).uniform_(-bound, bound))"
_BIAS_HH = "        self.bias_hh = nn.Parameter(torch.empty(4 * hidden_size).uniform_(-bound, bound))"

MISTAKES = [
    Mistake(
        "gates-i-f-o-g",
        find=_CHUNK,
        replace="        input_gate, forget_gate, output_gate, candidate = gates.chunk(4, dim=1)",
        says="You take the gates in the order input, forget, output, candidate. PyTorch's rows are input, "
        "forget, candidate (cell), output.",
    ),
    Mistake(
        "gates-f-i-g-o",
        find=_CHUNK,
        replace="        forget_gate, input_gate, candidate, output_gate = gates.chunk(4, dim=1)",
        says="You take the forget gate from the first rows and the input gate from the second ones. "
        "PyTorch's rows are input, forget, candidate (cell), output.",
    ),
    Mistake(
        "gates-i-g-f-o",
        find=_CHUNK,
        replace="        input_gate, candidate, forget_gate, output_gate = gates.chunk(4, dim=1)",
        says="You take the gates in the order input, candidate, forget, output. PyTorch's rows are input, "
        "forget, candidate (cell), output.",
    ),
    Mistake(
        "candidate-with-sigmoid",
        find="torch.tanh(candidate)",
        replace="torch.sigmoid(candidate)",
        says="You put the candidate through a sigmoid, so that the cell can only grow. It gets a tanh: what "
        "is written may be negative.",
    ),
    Mistake(
        "candidate-without-tanh",
        find="torch.tanh(candidate)",
        replace="candidate",
        says="You write the candidate into the cell as it is. It goes through a tanh first.",
    ),
    Mistake(
        "no-tanh-before-the-output-gate",
        find=_HIDDEN,
        replace="        hidden = torch.sigmoid(output_gate) * cell",
        says="You give the cell itself through the output gate. It goes through a tanh first, so the hidden "
        "state stays between -1 and 1.",
    ),
    Mistake(
        "output-gate-inside-the-tanh",
        find=_HIDDEN,
        replace="        hidden = torch.tanh(torch.sigmoid(output_gate) * cell)",
        says="You multiply by the output gate inside of the tanh. It acts on what comes out of it: "
        "sigmoid(output) * tanh(cell).",
    ),
    Mistake(
        "old-cell-in-the-hidden-state",
        find=_CELL,
        replace="        old = cell\n" + _CELL,
        also=((_HIDDEN, "        hidden = torch.sigmoid(output_gate) * torch.tanh(old)"),),
        says="Your hidden state shows the old cell. It is read off the new one, after it has been written.",
    ),
    Mistake(
        "hidden-state-without-output-gate",
        find=_HIDDEN,
        replace="        hidden = torch.tanh(cell)",
        says="Your hidden state has no output gate. It is sigmoid(output) * tanh(cell).",
    ),
    Mistake(
        "nothing-forgotten",
        find="torch.sigmoid(forget_gate) * cell",
        replace="cell",
        says="You never forget: the old cell goes in as it is (as in the paper of 1997). It is multiplied "
        "by the forget gate.",
    ),
    Mistake(
        "forget-gate-coupled",
        find="torch.sigmoid(forget_gate) * cell",
        replace="(1 - torch.sigmoid(input_gate)) * cell",
        says="You keep 1 - input gate of the old cell, as a GRU does. An LSTM has a forget gate of its own.",
    ),
    Mistake(
        "input-gate-coupled",
        find="torch.sigmoid(input_gate)",
        replace="(1 - torch.sigmoid(forget_gate))",
        says="You write with 1 - forget gate, as an LSTM with coupled gates does (CIFG), so the input gate's "
        "own rows are without effect. It is sigmoid(input) * tanh(candidate).",
    ),
    Mistake(
        "one-bias",
        find=_GATES,
        replace=_GATES.replace(" + self.bias_hh", ""),
        says="You never add bias_hh. There are two biases, and both are added.",
    ),
    Mistake(
        "input-bias-forgotten",
        find=_GATES,
        replace=_GATES.replace(" + self.bias_ih", ""),
        says="You never add bias_ih. There are two biases, and both are added.",
    ),
    Mistake(
        "no-biases",
        find=_GATES,
        replace="        gates = x @ self.weight_ih.T + hidden @ self.weight_hh.T",
        says="You add neither of the biases. There are two, and both are added.",
    ),
    Mistake(
        "bias-hh-missing",
        find=_BIAS_HH + "\n",
        replace="",
        also=((_GATES, _GATES.replace(" + self.bias_hh", "")),),
        says="Your cell has no bias_hh. One bias would do, but PyTorch has two, and who loads its weights "
        "needs both.",
    ),
    Mistake(
        "bound-from-the-input",
        find=_BOUND,
        replace="        bound = 1 / math.sqrt(input_size)",
        says="Your bound comes from input_size. Recurrent layers of PyTorch draw all parameters between "
        "±1/sqrt(hidden_size).",
    ),
    Mistake(
        "bound-from-all-gates",
        find=_BOUND,
        replace="        bound = 1 / math.sqrt(4 * hidden_size)",
        says="Your bound is 1/sqrt(4 * hidden_size). It is 1/sqrt(hidden_size): each gate sums over "
        "hidden_size numbers.",
    ),
    Mistake(
        "normal-weights",
        find="torch.empty(4 * hidden_size, input_size).uniform_(-bound, bound)",
        replace="torch.randn(4 * hidden_size, input_size) * bound",
        also=(
            (
                "torch.empty(4 * hidden_size, hidden_size).uniform_(-bound, bound)",
                "torch.randn(4 * hidden_size, hidden_size) * bound",
            ),
        ),
        says="You draw the weights from a normal distribution. Asked for is a uniform one between "
        "±1/sqrt(hidden_size).",
    ),
    Mistake(
        "biases-at-zero",
        find=_BIAS_IH,
        replace="        self.bias_ih = nn.Parameter(torch.zeros(4 * hidden_size))",
        also=((_BIAS_HH, "        self.bias_hh = nn.Parameter(torch.zeros(4 * hidden_size))"),),
        says="Your biases start at zero. Here all parameters are drawn between ±1/sqrt(hidden_size), as in "
        "nn.LSTM.",
    ),
    Mistake(
        "gates-interleaved",
        find=_CHUNK,
        replace=_CHUNK.replace("chunk(4, dim=1)", "unflatten(1, (-1, 4)).unbind(2)"),
        says="You take rows 0, 4, 8, … for the input gate, and so on: (hidden_size, 4). Each gate's rows "
        "stand together, (4, hidden_size): the first hidden_size rows are the input gate's.",
    ),
    Mistake(
        "one-added-to-the-forget-gate",
        find="torch.sigmoid(forget_gate)",
        replace="torch.sigmoid(forget_gate + 1)",
        says="You add 1 to the forget gate in forward, as some do to remember longer. It is sigmoid(forget).",
    ),
    Mistake(
        "candidate-without-input-gate",
        find="torch.sigmoid(input_gate) * torch.tanh(candidate)",
        replace="torch.tanh(candidate)",
        says="You write the candidate into the cell without the input gate. It is multiplied by it: "
        "sigmoid(input) * tanh(candidate).",
    ),
]
