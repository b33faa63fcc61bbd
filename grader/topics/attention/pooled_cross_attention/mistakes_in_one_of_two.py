"""Known wrong versions of `pooled_cross_attention` whose keys and values come from different means."""

from grader.kit import Mistake

POOLED = "        pooled = total / count.clamp(min=1).unsqueeze(-1)\n"
PLAIN = """\
        length = F.pad(torch.ones_like(padding_mask), (0, rest)).unflatten(1, (-1, self.stride)).sum(dim=2)
        plain = tokens.sum(dim=2) / length.unsqueeze(-1)
"""

MISTAKES = [
    Mistake(
        f"{name}s-of-means-with-padding",
        find=f"self.{name[0]}_proj(pooled)",
        replace=f"self.{name[0]}_proj(plain)",
        also=((POOLED, POOLED + PLAIN),),
        says=f"With a padding_mask your {name}s come from other means than your {other}s: from those of all "
        "tokens of a window, padding included. Padded tokens change nothing: make keys and values of the "
        "same means, those of the real tokens.",
    )
    for name, other in (("key", "value"), ("value", "key"))
]
