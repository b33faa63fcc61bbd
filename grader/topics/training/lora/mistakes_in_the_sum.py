"""Known wrong versions of `lora`: what is added up and scaled, what is learned, what is merged beside it."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

SCALING = "self.scaling = alpha / rank"
OF_BASE = "output = self.base(x)  # (..., out)"
HIDDEN = "hidden = self.dropout(x) @ self.lora_A.T  # (..., rank)"
SUM = "return output + self.scaling * (hidden @ self.lora_B.T)"
MERGED = "        if self.merged:\n            return output\n"
MERGE = "self.base.weight += self.scaling * (self.lora_B @ self.lora_A)  # (out, in)"
UNMERGE = "self.base.weight -= self.scaling * (self.lora_B @ self.lora_A)"
NEW_A = "linear.weight.new_empty(rank, in_features)"
NEW_FACTORS = "self.lora_A = nn.Parameter("
NEW_B = "linear.weight.new_zeros(out_features, rank)"

MISTAKES = [
    *right_once("output + self.scaling * (hidden @ self.lora_B.T)", imports="from torch import Tensor, nn\n"),
    Mistake(
        "adapter-of-zeros-passed-over",
        find="        if self.merged:\n            return output\n",
        replace="        if self.merged or not self.lora_B.any():\n            return output\n",
        says="Where lora_B is all zeros you leave the adapter out, as it adds nothing. But then no gradient "
        "reaches lora_B, which begins so: nothing is ever learned.",
    ),
    Mistake(
        "scaled-by-a-whole-number",
        find=SCALING,
        replace="self.scaling = alpha // rank",
        says="You divide alpha by rank to a whole number (//): 16 // 3 is 5. The scaling is alpha / rank.",
    ),
    Mistake(
        "scaled-by-the-features",
        find=SCALING,
        replace="self.scaling = alpha / in_features",
        says="You divide alpha by in_features. The scaling is alpha / rank.",
    ),
    Mistake(
        "base-scaled-too",
        find=SUM,
        replace="return self.scaling * (output + hidden @ self.lora_B.T)",
        says="You scale base(x) as well. Only the adapter's part is multiplied by alpha / rank.",
    ),
    Mistake(
        "bias-of-base-left-out",
        find=OF_BASE,
        replace="output = x @ self.base.weight.T",
        says="You multiply by base.weight only: base's bias is missing. Call base(x), which adds it.",
    ),
    Mistake(
        "bias-of-base-twice",
        find=SUM,
        replace=SUM.replace("output +", "output + (0 if self.base.bias is None else self.base.bias) +"),
        says="base(x) has base's bias already, and you add it once more.",
    ),
    Mistake(
        "bias-left-out-while-merged",
        find=MERGED,
        replace="        if self.merged:\n            return x @ self.base.weight.T\n",
        says="While merged your output lacks base's bias: it is that of base(x).",
    ),
    Mistake(
        "merged-in-evaluation-only",
        find="        if not self.merged:\n",
        replace="        if not self.merged and not self.training:\n",
        says="In training mode merge does nothing. It adds the product in either mode.",
    ),
    Mistake(
        "merged-and-divided-once-more",
        find=MERGE,
        replace="self.base.weight += self.scaling / len(self.lora_A) * (self.lora_B @ self.lora_A)",
        also=((UNMERGE, UNMERGE.replace("self.scaling", "self.scaling / len(self.lora_A)")),),
        says="merge divides by rank twice: the scaling is alpha / rank already.",
    ),
    Mistake(
        "lora-b-cleared-by-merging",
        find=MERGE,
        replace=f"{MERGE}\n                self.lora_B.zero_()",
        says="merge sets lora_B to zeros, so unmerge can take nothing away again. lora_A and lora_B stay as "
        "they are: while merged forward leaves them out.",
    ),
    Mistake(
        "same-in-every-instance",
        find="normal_(std=1 / rank)",
        replace="normal_(std=1 / rank, generator=torch.Generator(linear.weight.device).manual_seed(0))",
        says="lora_A has the same entries in every instance: it is drawn with a fixed seed. Draw anew.",
    ),
    Mistake(
        "lora-a-frozen",
        find=SCALING,
        replace=f"{SCALING}\n        self.lora_A.requires_grad_(False)",
        says="lora_A is frozen. It is learned, as lora_B is: base alone is frozen.",
    ),
    Mistake(
        "gradient-of-lora-a-cut",
        find=SUM,
        replace=SUM.replace("hidden @", "hidden.detach() @"),
        says="Of the adapter's part only lora_B gets a gradient: its input hidden is detached (or made under "
        "no_grad). Gradients reach x and lora_A as well.",
    ),
    Mistake(
        "rank-bounded-by-the-layer",
        find="if rank < 1:",
        replace="if rank < 1 or rank > min(linear.weight.shape):",
        says="You refuse a rank that is larger than the layer's sizes. It is wasteful, but allowed.",
    ),
    *(
        Mistake(
            f"rank-cut-to-the-layer{ending}",
            find=f"        {NEW_FACTORS}",
            replace=f"        {given}rank = min(rank, in_features, out_features)\n        {NEW_FACTORS}",
            also=((SCALING, scaling),),
            says="A rank above the layer's sizes you cut down to them, so lora_A and lora_B have other shapes"
            f"{more}. Such a rank is wasteful, but allowed: lora_A is (rank, in), lora_B (out, rank), and "
            "the factor alpha / rank, with the rank that was given.",
        )
        for ending, given, scaling, more in [
            ("", "", SCALING, ", and the scaling is another one"),
            ("-but-not-in-the-scaling", "given = rank\n        ", "self.scaling = alpha / given", ""),
        ]
    ),
    Mistake(
        "lora-b-in-the-default-dtype",
        find=NEW_B,
        replace="torch.zeros(out_features, rank, device=linear.weight.device)",
        says="lora_B has the default dtype. lora_A and lora_B have that of the layer's weight.",
    ),
    Mistake(
        "adapter-in-the-default-dtype",
        find=NEW_B,
        replace="torch.zeros(out_features, rank, device=linear.weight.device)",
        also=((NEW_A, "torch.empty(rank, in_features, device=linear.weight.device)"),),
        says="lora_A and lora_B are on the layer's device, but in the default dtype. They have that of the "
        "layer's weight.",
    ),
    Mistake(
        "scaling-a-parameter",
        find=SCALING,
        replace="self.scaling = nn.Parameter(linear.weight.new_tensor(alpha / rank))",
        says="The scaling is a parameter, which is learned. It is a plain number: alpha / rank.",
    ),
    Mistake(
        "dropout-shared-by-the-rows",
        find="self.dropout(x) @",
        replace="(x * self.dropout(x.new_ones(x.shape[-1]))) @",
        says="You draw one mask for the features and use it for every row. Each entry of the adapter's input "
        "is dropped on its own: self.dropout(x).",
    ),
    Mistake(
        "nothing-dropped-without-gradients",
        find="self.dropout(x) @",
        replace="(self.dropout(x) if torch.is_grad_enabled() else x) @",
        says="In training you drop nothing under torch.no_grad(). It is the mode alone that decides, "
        "self.training, as in nn.Dropout.",
    ),
]
