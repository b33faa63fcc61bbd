"""Known wrong versions of `pooled_cross_attention`: other windows, and what a window counts for."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import floor_mistakes, layout_mistakes

POOLED = "        pooled = total / count.clamp(min=1).unsqueeze(-1)\n"
MASKING = "        scores = scores.masked_fill(~mask, -math.inf)\n"

MISTAKES = [
    Mistake(
        "windows-evened-out",
        find=POOLED,
        replace="""\
        is_real = padding_mask.unsqueeze(-1).to(context.dtype)
        means = F.adaptive_avg_pool1d(torch.cat((context * is_real, is_real), dim=2).mT, tokens.shape[1]).mT
        count = means[..., -1]  # of real tokens, the share
        pooled = means[..., :-1] / torch.where(count > 0, count, 1.0).unsqueeze(-1)
""",
        says="Where stride does not divide src your windows are evened out, and overlap: "
        "F.adaptive_avg_pool1d, for example, gets their number and makes them alike. Window n begins at "
        "n * stride and has stride tokens; only the last one is shorter.",
    ),
    Mistake(
        "weighted-by-the-windows-tokens",
        find=MASKING,
        replace="        scores = scores + count.to(scores.dtype).log()[:, None, None, :]\n",
        says="A window counts in proportion to its real tokens: the logarithm of their number is added to "
        "its scores, for example, as in token merging. Here a window is one key, however many tokens its "
        "mean is of.",
    ),
    *(
        Mistake(
            f"windows-filled-{where}",
            find="        rest = -src % self.stride\n",
            replace=f"""\
        rest = -src % self.stride
        front = {front}
        context, padding_mask = F.pad(context, (0, 0, front, 0)), F.pad(padding_mask, (front, 0))
        rest -= front
""",
            says="You fill up half of what is missing to whole windows at the front, as a convolution does "
            'whose padding is "same", and that shifts the windows. Window n begins at token n * stride, and '
            "only the last one may be shorter.",
        )
        for where, front in (
            ("on-both-sides", "rest // 2"),
            ("on-both-sides-with-more-at-the-front", "(rest + 1) // 2"),
        )
    ),
    layout_mistakes.transposed(
        "", "self.q_proj(x)", "self.k_proj(pooled)", "self.v_proj(pooled)", "self.o_proj(merged)"
    ),
    layout_mistakes.transposed("input", "self.q_proj(x)", "self.k_proj(pooled)", "self.v_proj(pooled)"),
    layout_mistakes.transposed("output", "self.o_proj(merged)"),
    *floor_mistakes.after_softmax_renormalised("plus 1e-6", masking=MASKING),
]
