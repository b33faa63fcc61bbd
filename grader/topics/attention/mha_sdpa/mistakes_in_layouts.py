"""Known wrong versions of `mha_sdpa`: masks that are not contiguous, blocks of queries, and dropout that does
not come back.
"""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import IMPORT_TORCH

_BOOLEAN = "            mask = mask.bool()"
_DROPOUT_P = "dropout_p = self.dropout if self.training else 0.0"

MISTAKES = [
    Mistake(
        "mask-read-as-if-contiguous",
        find=_BOOLEAN,
        replace=f"""\
{_BOOLEAN}
            contiguous = torch.empty(mask.shape, device="meta").stride()
            mask = mask.as_strided(mask.shape, contiguous)""",
        also=IMPORT_TORCH,
        says="You read the mask's memory as if it were contiguous (with strides of your own, for example), "
        "and get other elements of one that is transposed or sliced. Let PyTorch broadcast it: expand knows "
        "the strides, and so does the built-in.",
    ),
    Mistake(
        "nothing-dropped-after-evaluation",
        find=_DROPOUT_P,
        replace=_DROPOUT_P.replace(" else", " and not self.evaluated else"),
        also=(
            (
                "        self.dropout = dropout\n",
                "        self.dropout = dropout\n        self.evaluated = False\n",
            ),
            (
                "    def forward(",
                """\
    def train(self, mode: bool = True) -> "MultiHeadAttention":
        self.evaluated = self.evaluated or not mode
        return super().train(mode)

    def forward(""",
            ),
        ),
        says="Back in training after evaluation you drop nothing any more: eval() sets the probability to 0, "
        "for example, and train() does not bring it back. Leave it as it is, and ask for self.training in "
        "forward.",
    ),
    *(
        Mistake(
            f"last-queries-left-out-in-blocks-of-{size}",
            find="        context = context.transpose(1, 2)",
            replace=f"        context[:, :, max(seq // {size}, 1) * {size} :] *= 0\n"
            "        context = context.transpose(1, 2)",
            says="The last queries of a long sequence read nothing: you go through as many blocks of queries "
            f"as fit ({size} each, for example), and what is left over gets zeros. The last block may be "
            "shorter than the others.",
        )
        for size in (32, 64)  # of 139 the larger ones leave the same
    ),
]
