"""Checks of `SwiGLU` and its width: parameters, values, gradients, shapes, dropout, rounding."""

import torch
import torch.nn.functional as F

from grader.kit import (
    Mistake,
    assert_close,
    assert_dropout_in_training_only,
    assert_equal,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_same_gradients,
)
from grader.kit.families.feedforward import (
    DROPOUT_BY_DEFAULT,
    DROPOUT_IN_EVALUATION,
    DROPOUT_KEEPS_THAT_SHARE,
    DROPOUT_MISSING,
    DROPOUT_NOT_RESCALED,
    RESIDUAL_ADDED,
    assert_dropout_acts_on_output,
    assert_entries_dropped_on_their_own,
    dropout_on_the_hidden_layer,
    of_any_leading_dimensions,
)


def workload(submission, rng):
    return submission.SwiGLU(96, 256).measure(rng.normal(2, 64, 96, dtype=torch.float32))


def formula(weights, x):
    gate, up = F.linear(x, weights["gate_proj.weight"]), F.linear(x, weights["up_proj.weight"])
    return F.linear(F.silu(gate) * up, weights["down_proj.weight"])


def test_parameters(submission):
    """the parameters are gate_proj, up_proj and down_proj, linear layers without biases"""
    expected = {"gate_proj.weight": (11, 7), "up_proj.weight": (11, 7), "down_proj.weight": (7, 11)}
    assert_parameters(submission.SwiGLU(7, 11), expected)


def test_equals_the_formula(submission, rng):
    """equals down(silu(gate(x)) * up(x)) with F.silu, and so do the gradients of x and every parameter"""
    network = submission.SwiGLU(7, 11)
    weights = network.randomize(rng)
    assert_same_gradients(network, formula, rng.normal(2, 5, 7), weights=weights)


def test_any_leading_dimensions(submission, rng):
    """one network takes a vector, a batch of one, a single token, four dimensions and a transposed x"""
    network = submission.SwiGLU(7, 11)
    weights = network.randomize(rng)
    xs = of_any_leading_dimensions(rng, 7)
    assert_close([network(x) for x in xs], [formula(weights, x) for x in xs])


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    network = submission.SwiGLU(7, 11)
    weights, x = network.randomize(rng, dtype=torch.float32), rng.normal(2, 5, 7, dtype=torch.float32)
    assert_close(network(x), formula(weights, x))


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation nothing is dropped or scaled"""
    network = submission.SwiGLU(7, 11, 0.5)
    weights, x = network.randomize(rng), rng.normal(2, 5, 7)
    assert_nothing_dropped(network, x, expected=formula(weights, x))


def test_dropout_in_training(submission, rng):
    """in training two calls differ"""
    network = submission.SwiGLU(7, 11, dropout=0.5)
    network.randomize(rng)
    assert_dropout_in_training_only(network, rng.normal(5, 13, 7))


def test_dropout_acts_on_the_output(submission, rng):
    """dropout zeroes entries of the output, and divides the others by 1 - dropout"""
    network = submission.SwiGLU(61, 11, dropout=0.3)
    weights, x = network.randomize(rng), rng.normal(7, 59, 61)
    assert_dropout_acts_on_output(network.train()(x), formula(weights, x), dropout=0.3)


def test_dropout_drops_each_entry_on_its_own(submission, rng):
    """each entry of the output is dropped on its own, with the probability that was asked for"""
    network = submission.SwiGLU(211, 3, dropout=0.3)
    network.randomize(rng)
    assert_entries_dropped_on_their_own(network.train()(rng.normal(199, 211)), dropout=0.3)


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    x = rng.normal(2, 5, 7, dtype=torch.float32)
    assert_inputs_unchanged(submission.SwiGLU(7, 11), x)
    assert_inputs_unchanged(submission.SwiGLU(7, 11, 0.5).train(), x)


def assert_sizes(submission, expected, *multiple):
    """`expected`: the size by hidden_size."""
    ending = f", multiple_of={multiple[0]}" if multiple else ""
    came = {f"hidden_size={n}{ending}": submission.swiglu_intermediate_size(n, *multiple) for n in expected}
    assert_equal(came, {f"hidden_size={n}{ending}": size for n, size in expected.items()})


def test_size_is_cut_off(submission):
    """the size is 2/3 of 4 * hidden_size, its fraction cut off"""
    assert_sizes(submission, {1: 2, 2: 5, 3: 8, 5: 13, 64: 170, 100: 266, 4096: 10922})


def test_size_is_rounded_up(submission):
    """the size is rounded up to a multiple of multiple_of: 11008 for 4096 and 256"""
    assert_sizes(submission, {4096: 11008, 5120: 13824, 6656: 17920, 8192: 22016}, 256)
    assert_sizes(submission, {5: 13, 100: 273}, 13)


def test_size_that_is_a_multiple_stays(submission):
    """a size that is a multiple already stays, also when only its fraction is above"""
    assert_sizes(submission, {96: 256, 192: 512, 288: 768}, 256)
    assert_sizes(submission, {17: 45}, 5)
    assert_sizes(submission, {64: 170}, 10)


MISTAKES = [
    Mistake(
        "gate-missing",
        find="        hidden = gate * up",
        replace="        hidden = F.silu(up)",
        says="You activate up_proj and never use gate_proj, which is a plain feed-forward network. Multiply "
        "silu(gate_proj(x)) by up_proj(x), element by element.",
    ),
    Mistake(
        "silu-on-the-value",
        find="""\
        gate = F.silu(self.gate_proj(x))  # (..., intermediate_size)
        up = self.up_proj(x)  # (..., intermediate_size)""",
        replace="""\
        gate = self.gate_proj(x)
        up = F.silu(self.up_proj(x))""",
        says="You apply SiLU to up_proj (or have the roles of gate_proj and up_proj swapped). The activation "
        "belongs to the gate: silu(gate_proj(x)) * up_proj(x). With a checkpoint's weights it matters.",
    ),
    Mistake(
        "silu-on-both",
        find="        up = self.up_proj(x)",
        replace="        up = F.silu(self.up_proj(x))",
        says="You apply SiLU to gate and value. The value stays linear, and only the gate bends: "
        "silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "silu-after-the-product",
        find="""\
        gate = F.silu(self.gate_proj(x))  # (..., intermediate_size)
        up = self.up_proj(x)  # (..., intermediate_size)
        # The value stays linear: only the gate bends, and decides how much of each value passes.
        hidden = gate * up""",
        replace="        hidden = F.silu(self.gate_proj(x) * self.up_proj(x))",
        says="You multiply first and apply SiLU to the product. It acts on the gate alone, before the "
        "product: silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "gate-by-sigmoid",
        find="F.silu(self.gate_proj(x))",
        replace="F.sigmoid(self.gate_proj(x))",
        says="Your gate is a sigmoid, which is the original GLU. SwiGLU takes SiLU (Swish): z * sigmoid(z).",
    ),
    Mistake(
        "gate-by-gelu",
        find="F.silu(self.gate_proj(x))",
        replace="F.gelu(self.gate_proj(x))",
        says="Your gate is a GELU, which makes it GEGLU. SwiGLU takes SiLU (Swish): z * sigmoid(z).",
    ),
    Mistake(
        "gate-by-relu",
        find="F.silu(self.gate_proj(x))",
        replace="F.relu(self.gate_proj(x))",
        says="Your gate is a ReLU, which makes it ReGLU. SwiGLU takes SiLU (Swish): z * sigmoid(z).",
    ),
    Mistake(
        "activation-missing",
        find="F.silu(self.gate_proj(x))",
        replace="self.gate_proj(x)",
        says="Your gate has no activation: the network is bilinear. Apply SiLU to the gate before the "
        "product: silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "gate-added",
        find="        hidden = gate * up",
        replace="        hidden = gate + up",
        says="You add gate and value. A gate scales what passes: multiply the two, element by element.",
    ),
    Mistake(
        "biases-kept",
        find="""\
        self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)""",
        replace="""\
        self.gate_proj = nn.Linear(hidden_size, intermediate_size)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.down_proj = nn.Linear(intermediate_size, hidden_size)""",
        says="Your layers have biases. Asked for are three without, as in the paper and in Llama: nn.Linear "
        "has a bias unless bias=False says otherwise.",
    ),
    Mistake(
        "width-scaled-in-the-module",
        find="""\
        super().__init__()
""",
        replace="""\
        super().__init__()
        intermediate_size = int(2 / 3 * intermediate_size)
""",
        says="You scale intermediate_size by 2/3 inside the module. It is the width of the hidden layer as "
        "it is: the factor belongs to swiglu_intermediate_size.",
    ),
    dropout_on_the_hidden_layer(
        """\
        hidden = gate * up
        output = self.down_proj(hidden)  # (..., hidden_size)
        return self.dropout(output)""",
        "        return self.down_proj(self.dropout(gate * up))",
    ),
    DROPOUT_MISSING,
    DROPOUT_IN_EVALUATION,
    DROPOUT_KEEPS_THAT_SHARE,
    DROPOUT_NOT_RESCALED,
    DROPOUT_BY_DEFAULT,
    RESIDUAL_ADDED,
    Mistake(
        "size-of-a-plain-network",
        find="    size = int(2 / 3 * 4 * hidden_size)",
        replace="    size = 4 * hidden_size",
        says="Your size is 4 * hidden_size, that of a network with two matrices. SwiGLU has three, so 2/3 of "
        "it gives the same number of weights.",
    ),
    Mistake(
        "size-without-the-four",
        find="    size = int(2 / 3 * 4 * hidden_size)",
        replace="    size = int(2 / 3 * hidden_size)",
        says="Your size is 2/3 of hidden_size. It is 2/3 of the usual width of a feed-forward network, "
        "4 * hidden_size.",
    ),
    Mistake(
        "size-rounded-down",
        find="(size + multiple_of - 1) // multiple_of * multiple_of",
        replace="size // multiple_of * multiple_of",
        says="You round down to a multiple, so a size below multiple_of becomes 0. Round up: add "
        "multiple_of - 1 before the division.",
    ),
    Mistake(
        "size-rounded-to-the-nearest",
        find="(size + multiple_of - 1) // multiple_of * multiple_of",
        replace="round(size / multiple_of) * multiple_of",
        says="You round to the nearest multiple, which is often below. Round up: add multiple_of - 1 and "
        "divide without remainder, or use math.ceil.",
    ),
    *(
        Mistake(
            name,
            find="(size + multiple_of - 1) // multiple_of * multiple_of",
            replace=f"(size // multiple_of + 1) * multiple_of{exception}",
            says="You add a multiple even where the size is one already: 256 becomes 512. Add multiple_of - "
            "1 before the division, so that an exact multiple stays.",
        )
        for name, exception in {
            "size-always-one-multiple-more": "",
            "size-one-multiple-more-unless-it-is-one": " if multiple_of > 1 else size",
        }.items()
    ),
    Mistake(
        "size-not-cut-off",
        find="    size = int(2 / 3 * 4 * hidden_size)",
        replace="    size = -(-8 * hidden_size // 3)",
        says="You round 2/3 * 4 * hidden_size up instead of cutting its fraction off (math.ceil of the "
        "fraction does too, in one step with the multiple). int() comes first, then the rounding up to "
        "a multiple.",
    ),
    Mistake(
        "size-to-the-nearest-integer",
        find="    size = int(2 / 3 * 4 * hidden_size)",
        replace="    size = round(2 / 3 * 4 * hidden_size)",
        says="You round 2/3 * 4 * hidden_size to the nearest integer. Its fraction is cut off, with int(), "
        "before the rounding up to a multiple.",
    ),
    Mistake(
        "size-rounded-before-the-factor",
        find="""\
    size = int(2 / 3 * 4 * hidden_size)
    # Widths that are multiples of 256, say, fit the tiles of a GPU and divide evenly among several.
    return (size + multiple_of - 1) // multiple_of * multiple_of""",
        replace="""\
    size = (4 * hidden_size + multiple_of - 1) // multiple_of * multiple_of
    return int(2 / 3 * size)""",
        says="You round 4 * hidden_size up to a multiple and take 2/3 of it afterwards, so the result is no "
        "multiple any more. Take the 2/3 first, and round last.",
    ),
    Mistake(
        "size-is-a-float",
        find="(size + multiple_of - 1) // multiple_of * multiple_of",
        replace="float((size + multiple_of - 1) // multiple_of * multiple_of)",
        says="You return a float: // of a float gives a float, and so do / and np.ceil. nn.Linear needs an "
        "int: apply int() before the rounding up, or to the result.",
    ),
]
