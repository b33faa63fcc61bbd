"""Known wrong versions of `llama` with an attention of one's own: in blocks, and with limits."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

FUSED = "F.scaled_dot_product_attention(query, key, value, is_causal=True)"
TURNED = "def _turned(x: Tensor"

MISTAKES = [
    *right_once("self.lm_head(self.norm(x))", imports="from torch import Tensor, nn\n"),
    *(
        Mistake(
            f"mask-of-a-shorter-last-block-of-{size}-queries",
            find=FUSED,
            replace="_in_blocks(query, key, value)",
            also=(
                (
                    TURNED,
                    f"""\
def _in_blocks(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    blocks, seq = [], query.shape[2]
    for lo in range(0, seq, {size}):
        hi = min(lo + {size}, seq)
        mask = torch.ones(hi - lo, hi, dtype=torch.bool).tril(max(hi - {size}, 0))
        parts = query[:, :, lo:hi], key[:, :, :hi], value[:, :, :hi]
        blocks.append(F.scaled_dot_product_attention(*parts, attn_mask=mask))
    return torch.cat(blocks, dim=2)


{TURNED}""",
                ),
            ),
            says=f"You go through the queries in blocks of {size}, and the causal mask of a shorter last "
            "block is off: it begins where a whole block that ends there would, so the queries miss their "
            "newest keys. Its first query is number lo: keys 0 … lo are seen.",
        )
        for size in (8, 16, 32, 64, 128)
    ),
    Mistake(
        "scores-cut-at-a-limit",
        find=FUSED,
        replace="_cut(query, key, value)",
        also=(
            (
                TURNED,
                f"""\
def _cut(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).triu(1)
    weights = scores.masked_fill(hidden, float("-inf")).clamp(max=80).exp()
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-30) @ value


{TURNED}""",
            ),
        ),
        says="You cut the scores at a largest value, 80 for example, so that exp does not overflow: all "
        "larger ones count the same, and none of them gets a gradient. Take off the largest score of each "
        "row first.",
    ),
    *(
        Mistake(
            f"causal-in-blocks-of-{size}-by-the-first-key",
            find=FUSED,
            replace="_of_parts(query, key, value)",
            also=(
                (
                    TURNED,
                    f"""\
def _of_parts(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    ends = [(lo, min(lo + {size}, query.shape[2])) for lo in range(0, query.shape[2], {size})]
    parts = [(query[:, :, lo:hi], key[:, :, :hi], value[:, :, :hi]) for lo, hi in ends]
    return torch.cat([F.scaled_dot_product_attention(*part, is_causal=True) for part in parts], dim=2)


{TURNED}""",
                ),
            ),
            says=f"You go through the queries in blocks ({size} at a time, for example), with "
            "is_causal=True, which counts them from the first key on: in a later block query 0 sees key 0 "
            "alone. Hand over a mask that begins where the block does, or all queries at once.",
        )
        for size in (8, 16, 32, 64, 128, 256)
    ),
]
