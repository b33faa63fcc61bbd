"""Known wrong versions of `LoRALinear`: factors of forward, merge and unmerge, calls out of turn, rank."""

from grader.kit import Mistake

MERGE = "self.base.weight += self.scaling * (self.lora_B @ self.lora_A)"
UNMERGE = "self.base.weight -= self.scaling * (self.lora_B @ self.lora_A)"
ROOT = "self.scaling * len(self.lora_A) ** 0.5"

MISTAKES = [
    Mistake(
        "merged-with-the-root",
        find=MERGE,
        replace=MERGE.replace("self.scaling", ROOT),
        also=((UNMERGE, UNMERGE.replace("self.scaling", ROOT)),),
        says="You merge with alpha / sqrt(rank), as in rsLoRA, while forward has alpha / rank: merged, "
        "the output is another one than before. The factor is alpha / rank in both.",
    ),
    Mistake(
        "merged-without-alpha",
        find=MERGE,
        replace=MERGE.replace("self.scaling", "1 / len(self.lora_A)"),
        also=((UNMERGE, UNMERGE.replace("self.scaling", "1 / len(self.lora_A)")),),
        says="You merge lora_B lora_A / rank, without alpha: merged, the output is another one than "
        "before. The factor is alpha / rank, as in forward.",
    ),
    Mistake(
        "unmerged-without-scaling",
        find=UNMERGE,
        replace=UNMERGE.replace("self.scaling * ", ""),
        says="unmerge takes away lora_B @ lora_A without the factor alpha / rank, which merge had. So "
        "the old weight does not come back: take away what was added.",
    ),
    Mistake(
        "merged-without-scaling-alone",
        find=MERGE,
        replace=MERGE.replace("self.scaling * ", ""),
        says="merge adds lora_B @ lora_A without the factor alpha / rank, and unmerge takes it away "
        "with the factor. So merged the output is another one than before, and the old weight "
        "does not come back. The factor is alpha / rank in both.",
    ),
    Mistake(
        "forward-without-scaling",
        find="return output + self.scaling * (hidden @ self.lora_B.T)",
        replace="return output + hidden @ self.lora_B.T",
        says="forward adds the adapter's part without the factor alpha / rank, which merge has: "
        "merged, the output is another one than before. The factor is alpha / rank in both.",
    ),
    Mistake(
        "adapter-in-training-only",
        find="        if self.merged:\n            return output\n",
        replace="        if self.merged or not self.training:\n            return output\n",
        says="In evaluation mode you leave the adapter out also where it is not merged: what was "
        "learned then does nothing. Only its dropout depends on the mode; base(x) alone is the "
        "output while `merged` is True.",
    ),
    Mistake(
        "rank-of-one-refused",
        find="if rank < 1:",
        replace="if rank <= 1:",
        says="You refuse a rank of 1. It is allowed, and often enough: only a rank below 1 raises.",
    ),
    Mistake(
        "rank-of-another-type",
        find='raise ValueError(f"rank',
        replace='raise TypeError(f"rank',
        says="A rank below 1 raises a TypeError in your constructor. It is the number that is wrong, "
        "not its type: raise a ValueError.",
    ),
    Mistake(
        "second-merge-unmerges",
        find="        if not self.merged:\n",
        replace="        if self.merged:\n            self.unmerge()\n        else:\n",
        says="Your second merge takes the product away again. While `merged` is True, merge does nothing.",
    ),
    Mistake(
        "merging-out-of-turn-raises",
        find="        if not self.merged:\n",
        replace="        if self.merged:\n            raise ValueError\n        else:\n",
        says="Where there is nothing to do you raise an exception: in a second merge, or in an unmerge of "
        "what is not merged. Both do nothing then.",
    ),
    Mistake(
        "relu-between-the-factors",
        find="self.dropout(x) @ self.lora_A.T",
        replace="(self.dropout(x) @ self.lora_A.T).relu()",
        says="You put a ReLU between lora_A and lora_B, as adapter layers have. LoRA's two are linear, "
        "or their product could not be merged into the weight.",
    ),
    Mistake(
        "gradient-of-lora-b-cut",
        find="(hidden @ self.lora_B.T)",
        replace="(hidden @ self.lora_B.detach().T)",
        says="In forward no gradient reaches lora_B: you take its .data or detach() it. It is learned, "
        "as lora_A is.",
    ),
    Mistake(
        "rows-of-lora-A-alike",
        find="linear.weight.new_empty(rank, in_features).normal_(std=1 / rank)",
        replace="linear.weight.new_empty(1, in_features).normal_(std=1 / rank).repeat(rank, 1)",
        says="The rows of your lora_A depend on each other from the start: it is a single random row, "
        "repeated, for example. Then they all get the same to learn, and whatever the rank, the update is "
        "of a lower one. Draw every entry for itself.",
    ),
    *(
        Mistake(
            f"product-formed-for-{id_}",
            find="        hidden = ",
            replace=f"        if {where}:\n"
            "            update = self.scaling * (self.lora_B @ self.lora_A)\n"
            "            return output + self.dropout(x) @ update.T\n"
            "        hidden = ",
            says=f"{when} you form lora_B @ lora_A, a matrix as large as the layer's weight, at every call. "
            f"It is never formed while the layer is unmerged, {whatever}: multiply from the left, "
            "(x @ lora_A.T) @ lora_B.T.",
        )
        for id_, where, when, whatever in (
            (
                "large-ranks",
                "len(self.lora_A) > min(self.base.weight.shape)",
                "Where the rank is larger than the layer's sizes",
                "also where that order takes fewer products",
            ),
            ("a-rank-of-one", "len(self.lora_A) == 1", "Where the rank is 1", "whatever its rank"),
            ("a-single-row", "x.ndim == 1", "For an x without leading dimensions", "whatever comes in"),
        )
    ),
]
