"""Known wrong versions of the parallel blocks: what is sent, when, and with which gradient."""

from grader.kit import Mistake

_MLP_SUM = 'return [total + held["down_proj.bias"] for total, held in zip(sums, self.ranks, strict=True)]'
_ATTENTION_SUM = 'return [total + held["o_proj.bias"] for total, held in zip(sums, self.ranks, strict=True)]'
_BIAS = (
    "You add the second layer's bias on every rank before the all-reduce, so it is summed as many times as "
    "there are ranks. Add it once, after the sum."
)

MISTAKES = [
    Mistake(
        "mlp-bias-summed-with-the-parts",
        find='F.linear(hidden, held["down_proj.weight"])',
        replace='F.linear(hidden, held["down_proj.weight"], held["down_proj.bias"])',
        also=((_MLP_SUM, "return sums"),),
        says=f"In ParallelMLP: {_BIAS[0].lower()}{_BIAS[1:]}",
    ),
    Mistake(
        "attention-bias-summed-with-the-parts",
        find='F.linear(context, held["o_proj.weight"])',
        replace='F.linear(context, held["o_proj.weight"], held["o_proj.bias"])',
        also=((_ATTENTION_SUM, "return sums"),),
        says=f"In ParallelAttention: {_BIAS[0].lower()}{_BIAS[1:]}",
    ),
    Mistake(
        "mlp-bias-on-rank-0-only",
        find='F.linear(hidden, held["down_proj.weight"])',
        replace='F.linear(hidden, held["down_proj.weight"], held["down_proj.bias"] if not partial else None)',
        also=((_MLP_SUM, "return sums"),),
        says="In ParallelMLP you add the last bias on rank 0 before the sum. The output is right, but the "
        "copies of the bias on the other ranks get no gradient, and drift away from it. Add it on each rank, "
        "after the sum.",
    ),
    Mistake(
        "mlp-bias-shared-out",
        find='F.linear(hidden, held["down_proj.weight"])',
        replace='F.linear(hidden, held["down_proj.weight"], held["down_proj.bias"] / len(xs))',
        also=((_MLP_SUM, "return sums"),),
        says="In ParallelMLP you add a part of the last bias on each rank before the sum. The output is "
        "right, but each rank's copy gets only that part of its gradient. Add the whole bias on each rank, "
        "after the sum.",
    ),
    Mistake(
        "mlp-bias-forgotten",
        find=_MLP_SUM,
        replace="return sums",
        says="In ParallelMLP you never add down_proj.bias. Add it on each rank, after the sum.",
    ),
    Mistake(
        "attention-bias-forgotten",
        find=_ATTENTION_SUM,
        replace="return sums",
        says="In ParallelAttention you never add o_proj.bias. Add it on each rank, after the sum.",
    ),
    Mistake(
        "gathered-after-the-first-layer",
        find="        partial = []\n"
        "        for x, held in zip(copy_to_ranks(xs, self.collectives), self.ranks, strict=True):\n"
        "            # GELU",
        replace="""\
        features = [
            F.gelu(F.linear(x, held["up_proj.weight"], held["up_proj.bias"]))
            for x, held in zip(copy_to_ranks(xs, self.collectives), self.ranks, strict=True)
        ]
        gathered = self.collectives.all_gather(features)
        parts = [each.chunk(len(xs), dim=-1)[rank] for rank, each in enumerate(gathered)]
        partial = [
            F.linear(part, held["down_proj.weight"]) for part, held in zip(parts, self.ranks, strict=True)
        ]
        for x, held in []:
            # GELU""",
        says="In ParallelMLP you gather the hidden features of all ranks between the two layers. A rank's "
        "columns of the second weight need its own features only: one all-reduce, at the end, will do.",
    ),
    Mistake(
        "g-sums-gradients-too",
        find="        return None, *gradients\n",
        replace="        return None, *ctx.collectives.all_reduce(list(gradients))\n",
        also=(
            (
                "        return tuple(collectives.all_reduce(list(xs)))\n",
                "        ctx.collectives = collectives\n"
                "        return tuple(collectives.all_reduce(list(xs)))\n",
            ),
        ),
        says="reduce_from_ranks all-reduces in backward, too, so that gradients are as many times too large "
        "as there are ranks. Each rank's output is the whole sum, and its gradient is that of each term: "
        "hand it on.",
    ),
    Mistake(
        "g-without-a-gradient",
        find="return list(_ReduceFromRanks.apply(collectives, *xs))",
        replace="return collectives.all_reduce(list(xs))",
        says="reduce_from_ranks calls all_reduce as it is, which is cut from the autograd graph: no gradient "
        "reaches what was before. Write its backward pass: each rank's own gradient, handed on.",
    ),
    Mistake(
        "f-forgotten",
        find="return list(_CopyToRanks.apply(collectives, *xs))",
        replace="return list(xs)",
        says="copy_to_ranks does nothing, so each rank's x gets only the gradient of that rank's part. In "
        "backward their gradients have to be all-reduced.",
    ),
    Mistake(
        "mlp-without-f",
        find="zip(copy_to_ranks(xs, self.collectives), self.ranks, strict=True):\n            # GELU",
        replace="zip(xs, self.ranks, strict=True):\n            # GELU",
        says="ParallelMLP does not pass its xs through copy_to_ranks, so each rank's x gets only the "
        "gradient of that rank's part.",
    ),
    Mistake(
        "attention-without-f",
        find="zip(copy_to_ranks(xs, self.collectives), self.ranks, strict=True):\n            query,",
        replace="zip(xs, self.ranks, strict=True):\n            query,",
        says="ParallelAttention does not pass its xs through copy_to_ranks, so each rank's x gets only the "
        "gradient of that rank's part.",
    ),
    Mistake(
        "f-sums-in-forward",
        find="return tuple(x.view_as(x) for x in xs)",
        replace="return tuple(collectives.all_reduce(list(xs)))",
        says="copy_to_ranks all-reduces in forward, so each x is as many times too large as there are ranks. "
        "It gives the xs as they are, and all-reduces their gradients in backward.",
    ),
    Mistake(
        "f-averages-gradients",
        find="        return None, *ctx.collectives.all_reduce(list(gradients))\n",
        replace="        summed = ctx.collectives.all_reduce(list(gradients))\n"
        "        return None, *(each / len(summed) for each in summed)\n",
        says="In backward copy_to_ranks averages the ranks' gradients. Each is that of another part of the "
        "output: the gradient of x is their sum.",
    ),
    Mistake(
        "g-averages",
        find="return tuple(collectives.all_reduce(list(xs)))",
        replace="return tuple(each / len(xs) for each in collectives.all_reduce(list(xs)))",
        says="reduce_from_ranks averages. Each rank has one term of a sum: add them up, and divide by "
        "nothing.",
    ),
    Mistake(
        "summed-without-a-collective",
        find="        return tuple(collectives.all_reduce(list(xs)))\n",
        replace="        return tuple(sum(xs) for _ in xs)\n",
        says="reduce_from_ranks adds up the ranks' tensors directly. A rank cannot see what another one has: "
        "all_reduce sends it.",
    ),
    Mistake(
        "gradients-summed-without-a-collective",
        find="        return None, *ctx.collectives.all_reduce(list(gradients))\n",
        replace="        return None, *(sum(gradients) for _ in gradients)\n",
        says="In backward copy_to_ranks adds up the ranks' gradients directly. A rank cannot see what "
        "another one has: all_reduce sends it.",
    ),
    Mistake(
        "f-for-each-projection",
        find="zip(copy_to_ranks(xs, self.collectives), self.ranks, strict=True):\n            query,",
        replace="zip(zip(*(copy_to_ranks(xs, self.collectives) for _ in 'qkv')), self.ranks):\n"
        "            query,",
        also=(
            ('F.linear(x, held[f"{name}.weight"]', 'F.linear(x[number], held[f"{name}.weight"]'),
            (
                'for name in ("q_proj", "k_proj", "v_proj")',
                'for number, name in enumerate(("q_proj", "k_proj", "v_proj"))',
            ),
        ),
        says="In ParallelAttention you pass the xs through copy_to_ranks once for each of q, k and v, so the "
        "backward pass all-reduces three times. Call it once: the gradients of the three add up before they "
        "are sent.",
    ),
]
