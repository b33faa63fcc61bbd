"""Known wrong versions of `expert_parallel`: calls in pieces, copies left at home, ranks without tokens."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"called-for-every-{size}-rows",
            find="expert(joined[own])",
            replace=f"torch.cat([expert(part) for part in joined[own].split({size})])",
            says=f"You call an expert with some of its rows at a time ({size}, for example), so many rows "
            "take several calls. Call it once, with all of its rows, however many there are.",
        )
        for size in (256, 512, 1024, 2048, 4096)
    ),
    Mistake(
        "negative-weights-stay-at-home",
        find="        order = flat.argsort()  # by expert, and so by the rank that has it\n",
        replace="""\
        order = flat.argsort()
        order = order[weight.flatten()[order] > 0]
""",
        also=(
            (
                "for x, chosen in zip(xs, expert_ids, strict=True):",
                "for x, chosen, weight in zip(xs, expert_ids, weights, strict=True):",
            ),
            ("bincount(flat // per_rank,", "bincount(flat[order] // per_rank,"),
            (
                "copies = copies[order.argsort()].view(-1, k, hidden)",
                "copies = copies.new_zeros(weight.numel(), hidden).index_copy(0, order, copies)\n"
                "        copies = copies.view(-1, k, hidden)",
            ),
        ),
        says="You send a copy only if its weight is above 0, so those with a negative one count as 0. "
        "Weights are used as they are, and may be negative.",
    ),
    Mistake(
        "negative-weights-count-as-zero",
        find="(weight[..., None] * copies)",
        replace="(weight.clamp(min=0)[..., None] * copies)",
        says="Negative weights count as 0 in your answer. Weights are used as they are.",
    ),
    Mistake(
        "weights-without-their-sign",
        find="(weight[..., None] * copies)",
        replace="(weight.abs()[..., None] * copies)",
        says="You use the absolute value of the weights. They are used as they are, and may be negative.",
    ),
    Mistake(
        "no-tokens-in-the-default-dtype",
        find="    outputs = []\n",
        replace="    outputs = []\n    none = torch.zeros(0, hidden, device=xs[0].device)\n",
        also=(
            (
                "outputs.append((weight[..., None] * copies).sum(dim=1))",
                "outputs.append((weight[..., None] * copies).sum(dim=1) if len(weight) else none)",
            ),
        ),
        says="What a rank without tokens gets has the default dtype (torch.zeros(0, hidden), for example), "
        "so it is float32 beside float64. It has the dtype of the tokens: zeros_like(x).",
    ),
    *(
        Mistake(
            f"numbers-by-remainder-of-the-ranks{ending}",
            find=find,
            replace=replace,
            says="With you the number of an expert on its rank is e % world_size. Each rank has per_rank "
            "experts in a row: expert e is number e % per_rank of rank e // per_rank.",
        )
        for ending, find, replace in (
            # Numbers that no expert has are passed over, or looked up.
            (
                "",
                "own = chosen == number",
                "own = chosen % world_size == number - rank * per_rank",
            ),
            (
                "-looked-up",
                "for number, expert in enumerate(local_experts, start=rank * per_rank):",
                "chosen = chosen % world_size\n"
                "        for number in chosen.unique().tolist():\n"
                "            expert = local_experts[number]",
            ),
        )
    ),
    Mistake(
        "rows-of-the-own-rank-in-a-call-of-their-own",
        find="                result[own] = expert(joined[own])\n",
        replace="""\
                home = torch.cat([torch.full_like(e, q == rank) for q, e in enumerate(ids[rank])]).bool()
                for part in (own & home, own & ~home):
                    if part.any():
                        result[part] = expert(joined[part])
""",
        says="You call an expert with the rows of its own rank (while the others are on their way, for "
        "example), and once more with those that come. It is called once: join the rows first.",
    ),
]
