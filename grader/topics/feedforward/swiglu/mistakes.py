"""Known wrong versions of `swiglu`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.feedforward import (
    BACKWARD_FORGETS_THE_MASK,
    DROPOUT_BY_DEFAULT,
    DROPOUT_IN_EVALUATION,
    DROPOUT_IN_WHOLE_PERCENTS,
    DROPOUT_KEEPS_THAT_SHARE,
    DROPOUT_MISSING,
    DROPOUT_NOT_RESCALED,
    DROPOUT_OF_WHOLE_TOKENS,
    DROPOUT_SCALED_IN_EVALUATION,
    DROPOUT_SHARED_BY_SEQUENCES,
    DROPOUT_SHARED_BY_TOKENS,
    RESIDUAL_ADDED,
    VECTOR_AS_A_ROW,
    dropout_on_the_hidden_layer,
    three_dimensions_unpacked,
)

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
    three_dimensions_unpacked("        gate = F.silu(self.gate_proj(x))"),
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
    BACKWARD_FORGETS_THE_MASK,
    DROPOUT_NOT_RESCALED,
    DROPOUT_SCALED_IN_EVALUATION,
    DROPOUT_OF_WHOLE_TOKENS,
    DROPOUT_SHARED_BY_SEQUENCES,
    DROPOUT_SHARED_BY_TOKENS,
    DROPOUT_IN_WHOLE_PERCENTS,
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
        "size-not-cut-off-before-a-multiple",
        find="    size = int(2 / 3 * 4 * hidden_size)",
        replace="    size = 8 * hidden_size // 3 if multiple_of == 1 else -(-8 * hidden_size // 3)",
        says="With a multiple_of above 1 you do not cut the fraction off before you round up, so a size just "
        "above a multiple, by its fraction only, becomes the next one: 13.33 gives 26 with a multiple_of of "
        "13. Take int(2 / 3 * 4 * hidden_size) first, and round that integer up.",
    ),
    *(
        Mistake(
            f"size-cut-off-before-the-{factor}",
            find="    size = int(2 / 3 * 4 * hidden_size)",
            replace=f"    size = {size}",
            says=f"You cut the fraction off too early, and multiply by {number} afterwards: what was lost is "
            f"lost {number} times, and the size is always a multiple of {number}. Cut off last: int(2 / 3 * "
            "4 * hidden_size).",
        )
        for factor, number, size in (
            ("four", 4, "4 * int(2 * hidden_size / 3)"),
            ("two", 2, "2 * int(4 * hidden_size / 3)"),
        )
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
    instance_mistakes.kept_on_the_class(
        "        self.dropout = nn.Dropout(dropout)\n",
        "the dropout's probability",
        kept="        type(self).p = dropout\n",
        also=(("self.dropout(output)", "F.dropout(output, self.p, self.training)"),),
    ),
    Mistake(
        "silu-by-exp-of-the-gate",
        find="        gate = F.silu(self.gate_proj(x))  # (..., intermediate_size)\n",
        replace="""\
        gate = self.gate_proj(x)
        gate = gate * torch.exp(gate) / (1 + torch.exp(gate))
""",
        also=(("import torch.nn.functional as F\n", "import torch\nimport torch.nn.functional as F\n"),),
        says="Your sigmoid is exp(z) / (1 + exp(z)), infinity over infinity, NaN, for large gates. Take "
        "torch.sigmoid or F.silu.",
    ),
    VECTOR_AS_A_ROW,
]
