"""Known wrong versions of `LoRALinear`: merge and unmerge."""

from grader.kit import Mistake

MERGED = """\
        if self.merged:
            return output
"""
MERGE = "self.base.weight += self.scaling * (self.lora_B @ self.lora_A)"
UNMERGE = "self.base.weight -= self.scaling * (self.lora_B @ self.lora_A)"
UNDONE = "self.base.weight.detach_().sub_(self.scaling * (self.lora_B @ self.lora_A))"
MERGE_BODY = f"""\
        if not self.merged:
            with torch.no_grad():
                {MERGE}  # (out, in)
            self.merged = True
"""
UNMERGE_BODY = f"""\
        if self.merged:
            with torch.no_grad():
                {UNMERGE}
            self.merged = False
"""

MISTAKES = [
    Mistake(
        "product-kept-for-good",
        find=MERGE,
        replace='self.product = getattr(self, "product", self.scaling * (self.lora_B @ self.lora_A))\n'
        "                self.base.weight += self.product",
        also=((UNMERGE, "self.base.weight -= self.product"),),
        says="You compute the product once and keep it: after further training a second merge adds the old "
        "one. Compute it anew at each merge.",
    ),
    Mistake(
        "scaled-twice-in-merge",
        find=MERGE,
        replace="self.base.weight += self.scaling**2 * (self.lora_B @ self.lora_A)",
        also=((UNMERGE, "self.base.weight -= self.scaling**2 * (self.lora_B @ self.lora_A)"),),
        says="You scale the merged product twice. It counts alpha / rank times, as in forward.",
    ),
    Mistake(
        "merged-without-scaling",
        find=MERGE,
        replace="self.base.weight += self.lora_B @ self.lora_A",
        also=((UNMERGE, "self.base.weight -= self.lora_B @ self.lora_A"),),
        says="You merge lora_B @ lora_A without the factor alpha / rank: merged, the output is another one "
        "than before.",
    ),
    Mistake(
        "merged-with-alpha-alone",
        find=MERGE,
        replace="self.base.weight += self.scaling * len(self.lora_A) * (self.lora_B @ self.lora_A)",
        also=((UNMERGE, UNMERGE.replace("self.scaling", "self.scaling * len(self.lora_A)")),),
        says="You merge alpha * lora_B lora_A, and alpha is not divided by rank there as it is in forward: "
        "merged, the output is another one than before. The factor is alpha / rank in both.",
    ),
    Mistake(
        "adapter-still-added-when-merged",
        find=MERGED,
        replace="",
        says="Merged, you still add the adapter in forward (in training mode, say), so that it counts "
        "twice. While merged, the output is base(x) alone.",
    ),
    Mistake(
        "merge-forgets-to-say-so",
        find="            self.merged = True\n",
        replace="",
        says="merge does not set `merged`: forward adds the adapter once more, and the next merge does too.",
    ),
    Mistake(
        "unmerge-forgets-to-say-so",
        find=UNMERGE_BODY,
        replace=UNMERGE_BODY.removesuffix("            self.merged = False\n"),
        says="unmerge does not set `merged` to False: forward leaves the adapter out from then on.",
    ),
    Mistake(
        "merged-twice",
        find=MERGE_BODY,
        replace=MERGE_BODY.replace("if not self.merged:", "if True:"),
        says="A second merge adds the product once more. While `merged` is True, merge does nothing.",
    ),
    Mistake(
        "unmerged-without-merge",
        find=UNMERGE_BODY,
        replace=UNMERGE_BODY.replace("if self.merged:", "if True:"),
        says="unmerge subtracts although nothing was merged. Without a merge before it, it does nothing.",
    ),
    Mistake(
        "unmerge-adds",
        find=UNMERGE,
        replace="self.base.weight += (self.scaling) * (self.lora_B @ self.lora_A)",
        says="unmerge does not bring the old weight back: it adds the product again, for example. Subtract "
        "what merge has added.",
    ),
    Mistake(
        "unmerge-only-says-so",
        find=UNMERGE_BODY,
        replace="        self.merged = False\n",
        says="unmerge leaves the merged weight as it is. Subtract what merge has added, or bring back a copy "
        "that was kept: weight.data and detach() make none.",
    ),
    Mistake(
        "weight-replaced",
        find=MERGE,
        replace="self.base.weight = nn.Parameter(self.base.weight + self.scaling * (self.lora_B @ "
        "self.lora_A), requires_grad=False)",
        says="merge puts another Parameter into the layer. Change the old one in place: whoever holds it "
        "(an optimizer, a tied layer) should see the merged weight.",
    ),
    Mistake(
        "weight-thawed-by-unmerging",
        find=f"{UNMERGE}\n            self.merged = False",
        replace=f"{UNMERGE}\n            self.merged = False\n            self.base.requires_grad_(True)",
        says="After merge and unmerge base.weight requires gradients. It stays frozen throughout.",
    ),
    Mistake(
        "recorded-by-autograd",
        find=f"            with torch.no_grad():\n                {MERGE}",
        replace=f"            with torch.enable_grad():\n                {MERGE}",
        says="Autograd records your merge: base.weight then requires a gradient, and hangs on lora_A and "
        "lora_B. Merge under torch.no_grad(), or into .data.",
    ),
    *(
        Mistake(
            f"recorded-by-autograd-{ending}",
            find=f"            with torch.no_grad():\n                {MERGE}",
            replace="            self.base.weight.add_(self.scaling * (self.lora_B @ self.lora_A))",
            also=edits,
            says=f"Autograd records your merge: {until} base.weight requires a gradient, and hangs on lora_A "
            "and lora_B. It is a frozen leaf throughout. Merge under torch.no_grad(), or into .data.",
        )
        for ending, until, edits in (
            ("in-place", "from then on", ()),
            ("until-unmerged", "until unmerge detaches it", ((UNMERGE, UNDONE),)),
        )
    ),
    Mistake(
        "merged-by-eval",
        find="    def merge(self) -> None:",
        replace="""\
    def train(self, mode: bool = True) -> "LoRALinear":
        self.unmerge() if mode else self.merge()
        return super().train(mode)

    def merge(self) -> None:""",
        says="Your eval() merges (or train() unmerges), as the first LoRA library did. Here only merge() "
        "and unmerge() change the weight.",
    ),
    Mistake(
        "dropout-while-merged",
        find=MERGED,
        replace="        if self.merged:\n            return self.base(self.dropout(x))\n",
        says="While merged you drop entries of x in training. Merged, the output is base(x) alone.",
    ),
    Mistake(
        "weight-of-the-first-merge-restored",
        find=MERGE,
        replace='self.first = getattr(self, "first", self.base.weight.clone())\n                ' + MERGE,
        also=((UNMERGE, "self.base.weight.copy_(self.first)"),),
        says="unmerge brings back a copy of the weight from the first merge: weights that were loaded or "
        "trained since then are lost. Make the copy anew in each merge, or subtract what was added.",
    ),
    *(
        Mistake(
            f"rows-beyond-whole-blocks-not-merged-{size}-at-a-time",
            find=MERGE,
            replace=f"""\
size = {size}
                rows = len(self.lora_B) // size * size or len(self.lora_B)
                self.base.weight[:rows] += self.scaling * (self.lora_B[:rows] @ self.lora_A)""",
            also=(
                (
                    UNMERGE,
                    f"""\
size = {size}
                rows = len(self.lora_B) // size * size or len(self.lora_B)
                self.base.weight[:rows] -= self.scaling * (self.lora_B[:rows] @ self.lora_A)""",
                ),
            ),
            says="You merge blocks of rows, and the rows that are left over at the end are not merged: their "
            "number divided by that of a block is rounded down. The last block is shorter, or longer.",
        )
        for size in (8, 64)
    ),
    Mistake(
        "weight-of-the-construction-restored",
        find="        self.merged = False\n\n    def forward",
        replace="        self.merged = False\n"
        "        self.first = linear.weight.detach().clone()\n\n    def forward",
        also=((UNMERGE, "self.base.weight.copy_(self.first)"),),
        says="unmerge brings back a copy of the weight from the construction: weights that were loaded or "
        "trained since then are lost. Keep the copy in merge, or subtract what was added.",
    ),
]
