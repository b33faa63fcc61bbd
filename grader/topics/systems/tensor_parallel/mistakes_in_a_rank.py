"""Known wrong versions of `tensor_parallel` in what a rank computes of its own."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import mask_mistakes, score_mistakes

_ATTENDED = "context = scores.masked_fill(later, -math.inf).softmax(dim=-1) @ value"

MISTAKES = [
    Mistake(
        "collectives-kept-for-all",
        find="        ctx.collectives = collectives\n",
        replace="        _CopyToRanks.collectives = collectives\n",
        also=(("ctx.collectives.all_reduce", "_CopyToRanks.collectives.all_reduce"),),
        says="All blocks share what sums their gradients: the collectives are kept on the class, say, so a "
        "block that was called in between decides which those are. Keep them in ctx.",
    ),
    Mistake(
        "max-not-subtracted",
        find=_ATTENDED,
        replace="""\
exps = scores.exp().masked_fill(later, 0.0)
            context = exps / exps.sum(dim=-1, keepdim=True) @ value""",
        says=score_mistakes.max_not_subtracted().says,
    ),
    Mistake(
        "fill-not-low-enough",
        find=_ATTENDED,
        replace=_ATTENDED.replace("-math.inf", "-100.0"),
        says=mask_mistakes.fill_not_low_enough().says,
    ),
    Mistake(
        "added-number-not-low-enough",
        find=_ATTENDED,
        replace="context = (scores + later * -100.0).softmax(dim=-1) @ value",
        says=mask_mistakes.added_number_not_low_enough().says,
    ),
    Mistake(
        "first-bias-forgotten",
        find='F.linear(x, held["up_proj.weight"], held["up_proj.bias"])',
        replace='F.linear(x, held["up_proj.weight"])',
        says="ParallelMLP does not add up_proj.bias. Each rank has its chunk of it, and adds it before GELU.",
    ),
    Mistake(
        "projection-biases-forgotten",
        find='F.linear(x, held[f"{name}.weight"], held[f"{name}.bias"])',
        replace='F.linear(x, held[f"{name}.weight"])',
        says="ParallelAttention does not add the biases of q_proj, k_proj and v_proj. Each rank adds its "
        "chunks.",
    ),
    Mistake(
        "heads-merged-without-transpose",
        find="context = context.transpose(1, 2).flatten(2)",
        replace="context = context.reshape(*x.shape[:2], -1)",
        says="You merge a rank's heads by a reshape of (batch, heads, seq, head_dim), which mixes tokens: "
        "transpose(1, 2) first.",
    ),
    Mistake(
        "mlp-bias-of-rank-0-for-all",
        find=(
            'return [total + held["down_proj.bias"] for total, held in zip(sums, self.ranks, strict=True)]'
        ),
        replace='return [total + self.ranks[0]["down_proj.bias"] for total in sums]',
        says="All ranks of ParallelMLP add the last bias that rank 0 holds, so it gets all of the gradients "
        "and the others' none. Each adds its own.",
    ),
    Mistake(
        "attention-bias-of-rank-0-for-all",
        find=('return [total + held["o_proj.bias"] for total, held in zip(sums, self.ranks, strict=True)]'),
        replace='return [total + self.ranks[0]["o_proj.bias"] for total in sums]',
        says="All ranks of ParallelAttention add the last bias that rank 0 holds, so it gets all of the "
        "gradients and the others' none. Each adds its own.",
    ),
    Mistake(
        "activation-missing",
        find='F.gelu(F.linear(x, held["up_proj.weight"], held["up_proj.bias"]))',
        replace='F.linear(x, held["up_proj.weight"], held["up_proj.bias"])',
        says="There is no GELU between the two layers of ParallelMLP.",
    ),
    Mistake(
        "silu",
        find="F.gelu(",
        replace="F.silu(",
        says="Your activation is SiLU. It is the exact GELU.",
    ),
    Mistake(
        "next-token-seen",
        find=".triu(1)",
        replace=".triu(2)",
        says="Your causal mask begins one place too late: a token sees the one behind it.",
    ),
    Mistake(
        "softmax-over-the-queries",
        find=".softmax(dim=-1)",
        replace=".softmax(dim=-2)",
        says="Your softmax runs over the queries. Each query's weights add up to 1 over its keys: the last "
        "dimension.",
    ),
    Mistake(
        "scale-by-the-hidden-size",
        find="math.sqrt(self.head_dim)\n",
        replace="math.sqrt(x.shape[-1])\n",
        says="You divide the scores by sqrt(hidden). A score is a sum over head_dim features: divide by "
        "sqrt(head_dim).",
    ),
    Mistake(
        "scale-by-all-heads",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(self.head_dim / self.collectives.world_size)",
        says="Your scale is that of heads which are world_size times too narrow: a rank's features divided "
        "by the heads of all ranks, for example. head_dim is hidden / num_heads, both of all ranks.",
    ),
    Mistake(
        "scale-by-a-ranks-heads",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(self.head_dim * self.collectives.world_size)",
        says="Your scale is that of heads which are world_size times too wide: all features divided by the "
        "heads of one rank, for example. head_dim is hidden / num_heads, both of all ranks.",
    ),
    Mistake(
        "shards-left-where-they-are-contiguous",
        find="shard.detach().clone(memory_format=torch.contiguous_format).requires_grad_()",
        replace="(shard.clone() if name == whole else shard.contiguous()).detach().requires_grad_()",
        says="Your shards, or some of them, share memory with the caller's weights or with each other: for "
        "example, contiguous() copies nothing where a tensor is contiguous already, as a chunk of rows is. "
        "clone() them.",
    ),
    Mistake(
        "g-sums-gradients-without-a-collective",
        find="return None, *gradients\n",
        replace="return None, *[sum(gradients)] * len(gradients)\n",
        says="In your g each rank gets the sum of all ranks' gradients. Each rank's x gets the gradient of "
        "that rank's own sum, as it is: nothing is sent there.",
    ),
    *(
        Mistake(
            f"largest-of-{which}-hidden-too-subtracted",
            find=_ATTENDED,
            replace=f"""\
exps = (scores - scores.detach().{largest}).exp() * ~later
            exps = exps / exps.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(exps.dtype).tiny)
            context = exps @ value""",
            says=f"You subtract the largest score of {words} before exp, later tokens included, and hide "
            "these afterwards. Where a later token's score is far above, all visible ones underflow to "
            "0, and a row of zeros comes out. Hide first, with -inf: the largest of the visible scores "
            "is subtracted.",
        )
        for which, largest, words in (
            ("a-row", "amax(dim=-1, keepdim=True)", "a row"),
            ("all-rows", "amax()", "many rows"),
        )
    ),
    Mistake(
        "heads-split-and-merged-the-wrong-way",
        find="                .unflatten(-1, (-1, self.head_dim))\n                .transpose(1, 2)",
        replace="                .unflatten(-1, (self.head_dim, -1))\n                .permute(0, 3, 1, 2)",
        also=(("context.transpose(1, 2).flatten(2)", "context.permute(0, 2, 3, 1).flatten(2)"),),
        says="You take every n-th feature of a rank for a head, in the result too. Head i has the features "
        "i * head_dim … (i + 1) * head_dim - 1: heads before features in the view.",
    ),
]
