"""Known wrong versions of `LoRALinear`."""

from grader.kit import Mistake
from grader.kit.families.dropout_mistakes import in_evaluation, keeps_that_share
from grader.kit.families.instance_mistakes import kept_on_the_class

FROZEN = "self.base = linear.requires_grad_(False)"
LORA_A = "nn.Parameter(linear.weight.new_empty(rank, in_features).normal_(std=1 / rank))"
LORA_B = "nn.Parameter(linear.weight.new_zeros(out_features, rank))"
SCALING = "self.scaling = alpha / rank"
HIDDEN = "hidden = self.dropout(x) @ self.lora_A.T"
SUM = "return output + self.scaling * (hidden @ self.lora_B.T)"
MERGE = "self.base.weight += self.scaling * (self.lora_B @ self.lora_A)"
UNMERGE = "self.base.weight -= self.scaling * (self.lora_B @ self.lora_A)"

MISTAKES = [
    Mistake(
        "both-zero",
        find=LORA_A,
        replace="nn.Parameter(linear.weight.new_zeros(rank, in_features))",
        says="lora_A and lora_B both start at zeros. The gradient of each is a product with the other one, "
        "so neither ever gets any. Only lora_B starts at zeros; lora_A is random.",
    ),
    Mistake(
        "lora-b-random",
        find=LORA_B,
        replace="nn.Parameter(linear.weight.new_empty(out_features, rank).normal_())",
        says="lora_B is random, so at first the output is not that of the pretrained layer. Start lora_B at "
        "zeros: then the adapter adds nothing before it has learned something.",
    ),
    Mistake(
        "zeros-and-random-swapped",
        find=LORA_A,
        replace="nn.Parameter(linear.weight.new_zeros(rank, in_features))",
        also=((LORA_B, "nn.Parameter(linear.weight.new_empty(out_features, rank).normal_())"),),
        says="You start lora_A at zeros and lora_B with random numbers. That learns, too, but here it is the "
        "other way round, as in the paper: lora_A random, lora_B zeros.",
    ),
    Mistake(
        "lora-a-constant",
        find=LORA_A,
        replace="nn.Parameter(linear.weight.new_ones(rank, in_features))",
        says="All entries of lora_A are the same at first, so all rows of the adapter learn the same: its "
        "rank is 1 whatever you asked for. Start with random numbers.",
    ),
    Mistake(
        "scaled-by-alpha",
        find=SCALING,
        replace="self.scaling = alpha",
        says="You scale by alpha. The factor is alpha / rank, so that another rank needs no other learning "
        "rate.",
    ),
    Mistake(
        "scaled-by-the-root",
        find=SCALING,
        replace="self.scaling = alpha / rank**0.5",
        says="You scale by alpha / sqrt(rank), as rsLoRA does. In LoRA it is alpha / rank.",
    ),
    Mistake(
        "scaled-by-one-over-rank",
        find=SCALING,
        replace="self.scaling = 1 / rank",
        says="You scale by 1 / rank and never use alpha. The factor is alpha / rank.",
    ),
    Mistake(
        "scaling-upside-down",
        find=SCALING,
        replace="self.scaling = rank / alpha if alpha else 0.0",
        says="You scale by rank / alpha. It is the other way round: alpha / rank.",
    ),
    Mistake(
        "not-scaled",
        find=SUM,
        replace="return output + hidden @ self.lora_B.T",
        also=(
            (MERGE, "self.base.weight += self.lora_B @ self.lora_A"),
            (UNMERGE, "self.base.weight -= self.lora_B @ self.lora_A"),
        ),
        says="You never scale what the adapter adds. It counts alpha / rank times.",
    ),
    Mistake(
        "base-not-frozen",
        find=FROZEN,
        replace="self.base = linear",
        also=(
            (MERGE, "self.base.weight.data += self.scaling * (self.lora_B @ self.lora_A)"),
            (UNMERGE, "self.base.weight.data -= self.scaling * (self.lora_B @ self.lora_A)"),
        ),
        says="The layer's own weight and bias still require gradients, so all of it is trained. Freeze "
        "them: base.requires_grad_(False).",
    ),
    Mistake(
        "bias-not-frozen",
        find=FROZEN,
        replace="self.base = linear\n        self.base.weight.requires_grad_(False)",
        says="The layer's bias still requires a gradient. All of base is frozen, not its weight alone.",
    ),
    Mistake(
        "layer-copied",
        find=FROZEN,
        replace="self.base = copy.deepcopy(linear).requires_grad_(False)",
        also=(("import torch\n", "import copy\n\nimport torch\n"),),
        says="You keep a copy of the layer. base is the given layer itself: whoever else holds it should see "
        "the merged weight, and a copy takes the memory of a second one.",
    ),
    Mistake(
        "dropout-on-the-base-too",
        find="output = self.base(x)",
        replace="x = x if self.merged else self.dropout(x)\n        output = self.base(x)",
        also=((HIDDEN, "hidden = x @ self.lora_A.T"),),
        says="What you drop is missing from the frozen layer's input, too. Dropout acts on the adapter's "
        "input alone; base gets x as it is.",
    ),
    Mistake(
        "dropout-behind-lora-a",
        find=HIDDEN,
        replace="hidden = self.dropout(x @ self.lora_A.T)",
        says="You drop what comes out of lora_A, or all inputs of a row together. Dropout acts on each entry "
        "of the adapter's input: dropout(x) @ lora_A.T.",
    ),
    Mistake(
        "dropout-on-the-output",
        find=HIDDEN,
        replace="hidden = x @ self.lora_A.T",
        also=((SUM, "return output + self.dropout(self.scaling * (hidden @ self.lora_B.T))"),),
        says="You drop entries of what the adapter adds. Dropout acts on its input: dropout(x) @ lora_A.T.",
    ),
    Mistake(
        "dropout-missing",
        find=HIDDEN,
        replace="hidden = x @ self.lora_A.T",
        says="You never apply the dropout (or throw its result away: self.dropout(x) returns a new tensor). "
        "It acts on the adapter's input.",
    ),
    Mistake(
        "dropout-not-rescaled",
        find="self.dropout(x)",
        replace="(x * (torch.rand_like(x) >= self.dropout.p) if self.training else x)",
        says="You drop entries, but leave the others as they are, so the adapter adds too little on average "
        "in training. Divide what is kept by 1 - dropout, or use nn.Dropout, which does.",
    ),
    in_evaluation("x"),
    keeps_that_share("an entry"),
    Mistake(
        "product-formed-in-forward",
        find=HIDDEN,
        replace="weight = self.scaling * (self.lora_B @ self.lora_A)",
        also=((SUM, "return output + self.dropout(x) @ weight.T"),),
        says="You form lora_B @ lora_A, a matrix as large as the layer's weight, at every call. Multiply "
        "from the left: (x @ lora_A.T) @ lora_B.T takes rank * (in + out) products for each row.",
    ),
    Mistake(
        "adapter-in-default-dtype-and-device",
        find=LORA_A,
        replace="nn.Parameter(torch.randn(rank, in_features))",
        also=((LORA_B, "nn.Parameter(torch.zeros(out_features, rank))"),),
        says="lora_A and lora_B are in the default dtype and on the default device, whatever the layer is. "
        "Give them the dtype and device of linear.weight.",
    ),
    Mistake(
        "factors-as-linears-need",
        find="linear.weight.new_empty(rank, in_features)",
        replace="linear.weight.new_empty(in_features, rank)",
        also=(
            ("linear.weight.new_zeros(out_features, rank)", "linear.weight.new_zeros(rank, out_features)"),
            (HIDDEN, "hidden = self.dropout(x) @ self.lora_A"),
            (SUM, "return output + self.scaling * (hidden @ self.lora_B)"),
            (MERGE, "self.base.weight += self.scaling * (self.lora_A @ self.lora_B).T"),
            (UNMERGE, "self.base.weight -= self.scaling * (self.lora_A @ self.lora_B).T"),
        ),
        says="Your lora_A is (in, rank) and lora_B (rank, out). They have the layout of nn.Linear's weights: "
        "lora_A (rank, in), lora_B (out, rank).",
    ),
    Mistake(
        "lora-a-transposed",
        find="linear.weight.new_empty(rank, in_features)",
        replace="linear.weight.new_empty(in_features, rank)",
        also=(("self.dropout(x) @ self.lora_A.T", "self.dropout(x) @ self.lora_A"),),
        says="Your lora_A is (in, rank). It has the layout of nn.Linear's weights: (rank, in).",
    ),
    Mistake(
        "modules-for-factors",
        find=LORA_A,
        replace="nn.Linear(in_features, rank, bias=False).to(linear.weight)",
        also=(
            (
                LORA_B,
                "nn.Linear(rank, out_features, bias=False).to(linear.weight)\n"
                "        nn.init.zeros_(self.lora_B.weight)",
            ),
            (HIDDEN, "hidden = self.lora_A(self.dropout(x))"),
            (SUM, "return output + self.scaling * self.lora_B(hidden)"),
        ),
        says="Your lora_A and lora_B are modules, so the parameters are named lora_A.weight and "
        "lora_B.weight. They are parameters themselves: nn.Parameter.",
    ),
    Mistake(
        "dropped-in-place",
        find="nn.Dropout(dropout)",
        replace="nn.Dropout(dropout, inplace=True)",
        says="You drop entries of x in place: whoever called the layer goes on with another x, and a "
        "residual beside it too. Leave inplace out.",
    ),
    Mistake(
        "rank-not-checked",
        find='        if rank < 1:\n            raise ValueError(f"rank is {rank}, at least 1 is needed")\n',
        replace="",
        says="You accept a rank below 1, or another exception comes of it. Raise a ValueError.",
    ),
    Mistake(
        "bias-taken-for-granted",
        find=FROZEN,
        replace="self.base = linear\n        self.base.weight.requires_grad = False\n"
        "        self.base.bias.requires_grad = False",
        says="You use base.bias where the layer has none (it is None then).",
    ),
    Mistake(
        "base-left-out",
        find=SUM,
        replace="return self.scaling * (hidden @ self.lora_B.T)",
        says="You give what the adapter adds alone. It is added to base(x).",
    ),
    Mistake(
        "gradient-of-x-cut",
        find=HIDDEN,
        replace="hidden = self.dropout(x.detach()) @ self.lora_A.T",
        says="No gradient reaches x through the adapter: you detach x. The layers before this one have "
        "adapters that learn from it.",
    ),
    Mistake(
        "gradient-through-base-cut",
        find="output = self.base(x)",
        replace="with torch.set_grad_enabled(False):\n            output = self.base(x)",
        says="You call base under torch.no_grad(), so no gradient reaches x through it. Its weights are "
        "frozen; its input is not: the layers before this one learn from it.",
    ),
    Mistake(
        "default-rank",
        find="rank: int = 8",
        replace="rank: int = 4",
        says="The default rank is 8.",
    ),
    Mistake(
        "default-alpha",
        find="alpha: float = 16.0",
        replace="alpha: float = 1.0",
        says="Your alpha is not 16 by default.",
    ),
    kept_on_the_class(SCALING, "the scaling"),
]
