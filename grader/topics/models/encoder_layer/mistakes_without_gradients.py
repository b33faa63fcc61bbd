"""Known wrong versions of `encoder_layer` that write into x, or take a mask of one row for padding."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import IMPORT_TORCH

_FIRST = "            x = x + self.dropout(self._attention(self.norm1(x), mask))\n"
_FUSED = "        context = F.scaled_dot_product_attention("

MISTAKES = [
    Mistake(
        "x-added-to-without-gradients",
        find=_FIRST,
        replace=f"""\
            if not torch.is_grad_enabled():
                x.add_(self.dropout(self._attention(self.norm1(x), mask)))
                return x.add_(self.dropout(self._feed_forward(self.norm2(x))))
{_FIRST}""",
        also=IMPORT_TORCH,
        says="With norm_first and without gradients you add to x in place. Nobody needs x for a backward "
        "pass then, but it belongs to the caller, who may need it: make a new tensor.",
    ),
    Mistake(
        "mask-of-the-first-head-where-it-has-one-row",
        find=_FUSED,
        replace=f"""\
        if mask is not None and mask.shape[2] == 1:
            mask = mask[:, :1]
{_FUSED}""",
        says="Of a mask with one row for all queries you use the first head's for all heads, as if it were "
        "there for padding alone. Each head may have its own: the places of the dimensions tell which it is.",
    ),
]
