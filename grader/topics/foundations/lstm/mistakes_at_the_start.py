"""Known wrong versions of how `lstm` starts: its parameters, and the first step."""

from grader.kit import Mistake

_BOUND = "        bound = 1 / math.sqrt(hidden_size)"
_GATES = "        gates = x @ self.weight_ih.T + self.bias_ih + hidden @ self.weight_hh.T + self.bias_hh"
_WEIGHTS = """\
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size).uniform_(-bound, bound))
"""
_BIAS_IH = "        self.bias_ih = nn.Parameter(torch.empty(4 * hidden_size).uniform_(-bound, bound))"
_BIAS_HH = "        self.bias_hh = nn.Parameter(torch.empty(4 * hidden_size).uniform_(-bound, bound))"

MISTAKES = [
    Mistake(
        "seed-fixed",
        find=_BOUND,
        replace=_BOUND + "\n        torch.manual_seed(0)",
        says="Every cell starts with the same numbers: you set a seed, or draw from a generator of your own "
        "with a fixed one. Draw anew for each cell; whoever wants the same ones sets the seed.",
    ),
    Mistake(
        "one-draw-for-both-biases",
        find=_BIAS_HH,
        replace="        self.bias_hh = nn.Parameter(self.bias_ih.detach().clone())",
        says="Your bias_hh starts with the numbers of bias_ih. Each number is drawn by itself.",
    ),
    Mistake(
        "recurrent-bias-at-zero",
        find=_BIAS_HH,
        replace="        self.bias_hh = nn.Parameter(torch.zeros(4 * hidden_size))",
        says="Your bias_hh starts at zero. It is drawn between ±1/sqrt(hidden_size), as bias_ih is.",
    ),
    Mistake(
        "forget-bias-at-one",
        find=_BIAS_HH,
        replace=_BIAS_HH + "\n        nn.init.ones_(self.bias_ih[hidden_size : 2 * hidden_size])",
        says="You set the forget gate's part of a bias to 1, as many do to remember longer. Here all numbers "
        "are drawn between ±1/sqrt(hidden_size), as in nn.LSTM.",
    ),
    Mistake(
        "positive-numbers-alone",
        find=_WEIGHTS + _BIAS_IH + "\n" + _BIAS_HH,
        replace=(_WEIGHTS + _BIAS_IH + "\n" + _BIAS_HH).replace("-bound", "0"),
        says="You draw between 0 and 1/sqrt(hidden_size) (torch.rand times the bound, for example). It is "
        "between minus and plus that.",
    ),
    Mistake(
        "bound-without-root",
        find=_BOUND,
        replace="        bound = 1 / hidden_size",
        says="Your bound is 1/hidden_size. The root is missing: 1/sqrt(hidden_size).",
    ),
    Mistake(
        "recurrent-bias-left-out-without-a-state",
        find="        if state is None:",
        replace="        recurrent_bias = 0.0 if state is None else self.bias_hh\n        if state is None:",
        also=((_GATES, _GATES.replace("self.bias_hh", "recurrent_bias")),),
        says="Without a state you leave out bias_hh together with weight_hh. A hidden state of zeros makes "
        "nothing of the matrix, but the bias is still added.",
    ),
    Mistake(
        "zeros-kept",
        find="            state = (x.new_zeros(len(x), self.hidden_size),) * 2",
        replace="            if not hasattr(self, 'zeros'):\n"
        "                self.zeros = x.new_zeros(1, self.hidden_size)\n"
        "            state = (self.zeros.expand(len(x), -1),) * 2",
        says="You keep the zeros of the first call, which have its dtype and its device. Make them anew for "
        "each x.",
    ),
    Mistake(
        "input-bias-twice",
        find=_GATES,
        replace=_GATES + " + self.bias_ih",
        says="You add bias_ih twice. Each of the two biases is added once.",
    ),
]
