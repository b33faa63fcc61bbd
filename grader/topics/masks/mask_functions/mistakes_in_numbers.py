"""Known wrong versions of `mask_functions` that add or multiply masks, or let indices count on."""

from grader.kit import Mistake

HEADS = "    h = torch.arange(heads)[:, None, None]  # (heads, 1, 1)\n"
QUERIES = "    q = torch.arange(q_len)[:, None]  # (q_len, 1)\n"
NONE = {"and": "q.new_ones((), dtype=torch.bool)", "or": "q.new_zeros((), dtype=torch.bool)"}

MISTAKES = [
    *(
        Mistake(
            f"{name}-{done}{ending}",
            find=f"        result = {NONE[name]}\n",
            replace=f"        result = {start}{guard.format(NONE[name])}\n",
            also=((f"result = result {sign} fn(", f"result = result {times} fn("),),
            says=f"Your {name}_masks gives whole numbers, not True and False: {how}, for example, where "
            f"Python begins with the number {start}. A mask function returns a boolean tensor: combine "
            f"with {sign}.",
        )
        for name, done, sign, times, start, how in (
            ("and", "multiplied", "&", "*", "1", "math.prod multiplies the masks"),
            ("or", "added-up", "|", "+", "0", "sum adds the masks up"),
        )
        for ending, guard in (("", ""), ("-unless-none", " if fns else {}"))
    ),
    *(
        Mistake(
            f"{name}-count-on",
            find=find,
            replace=replace,
            says=f"In materialize the {name} count on from {where}: from one index into the flat table, for "
            f"example, you take {index} without the remainder, {right}. They begin at 0 "
            "again there.",
        )
        for name, find, replace, where, index, right in (
            (
                "heads",
                HEADS,
                "    h = torch.arange(batch * heads).view(batch, heads, 1, 1)\n",
                "one sequence of the batch to the next",
                "i // (q_len * kv_len)",
                "% heads",
            ),
            (
                "queries",
                QUERIES,
                "    q = torch.arange(batch * heads * q_len).view(batch, heads, q_len, 1)\n",
                "one head to the next",
                "i // kv_len",
                "% q_len",
            ),
        )
    ),
]
