"""Known wrong versions of `expert_parallel` that lose, pad or weigh rows on the way to experts and back."""

from grader.kit import Mistake

_CAPACITY = "math.ceil(len(flat) / (world_size * per_rank))"
_BY_TOKEN = "flat.argsort(stable=True)"
_BY_CHOICE = "(flat * k + torch.arange(len(flat), device=flat.device) % k).argsort(stable=True)"
_EACH = "    for weight, order, parts in zip(weights, orders, returned, strict=True):\n"


def _padded(mistake: str, size: str, says: str) -> Mistake:
    """Every parcel has `size` rows, of which the last may be zeros that belong to no expert."""
    return Mistake(
        mistake,
        find="rows.append(x[order // k].split(counts))",
        replace=f"""\
size = {size}
        own = x[order // k].split(counts)
        rows.append([torch.cat([part, part.new_zeros(size - len(part), hidden)]) for part in own])""",
        also=(
            ("    orders, rows, ids = [], [], []\n", "    orders, rows, ids, sizes = [], [], [], []\n"),
            (
                "ids.append(flat[order].split(counts))\n",
                """\
own = flat[order].split(counts)
        ids.append([torch.cat([part, part.new_full((size - len(part),), -1)]) for part in own])
        sizes.append(counts)
""",
            ),
            (
                _EACH,
                "    for weight, order, parts, counts in zip(weights, orders, returned, sizes):\n"
                "        parts = [part[:count] for part, count in zip(parts, counts, strict=True)]\n",
            ),
        ),
        says=says,
    )


MISTAKES = [
    Mistake(
        "weight-before-the-expert",
        find="x[order // k].split(counts)",
        replace="(x[order // k] * weight.flatten()[order][:, None]).split(counts)",
        also=(
            (
                "for x, chosen in zip(xs, expert_ids, strict=True):",
                "for x, chosen, weight in zip(xs, expert_ids, weights, strict=True):",
            ),
            ("(weight[..., None] * copies).sum(dim=1)", "copies.sum(dim=1)"),
        ),
        says="You multiply a row by its weight before the expert sees it. An expert is not linear: the "
        "weight belongs to what the expert gives.",
    ),
    Mistake(
        "repeated-tokens-counted-once-a-rank",
        find="        outputs.append((weight[..., None] * copies).sum(dim=1))\n",
        replace="""\
        sizes = [len(part) for part in parts]
        factors, tokens = weight.flatten()[order].split(sizes), (order // k).split(sizes)
        outputs.append(torch.zeros_like(copies[:, 0]))
        for part, factor, token in zip(parts, factors, tokens, strict=True):
            outputs[-1][token] += factor[:, None] * part
""",
        says="You add each rank's results by output[token] += …, with the same token twice where two of its "
        "experts are on that rank: only the last one counts. Use index_add_.",
    ),
    *(
        Mistake(
            f"repeated-tokens-counted-once{id}",
            find="        outputs.append((weight[..., None] * copies).sum(dim=1))\n",
            replace="""\
        outputs.append(torch.zeros_like(copies[:, 0]))
        outputs[-1][order // k] += (weight.flatten()[order])[:, None] * torch.cat(parts)
""",
            also=also,
            says="You add all results at once by output[token] += …, or assign them, and each token stands k "
            "times in the index: only one of its copies counts. Use index_add_, or sum over the k copies.",
        )
        # Which one is left is the last in the order in which the copies were sent.
        for id, also in (
            ("", ()),
            ("-by-rank", (("order = flat.argsort()", "order = (flat // per_rank).argsort(stable=True)"),)),
        )
    ),
    Mistake(
        "last-choice-only",
        find="(weight[..., None] * copies).sum(dim=1)",
        replace="(weight[..., None] * copies)[:, -1]",
        says="Only a token's last expert counts in your result: you assign, or add by output[token] += …, "
        "where a token stands once for each of its experts in the index, for example. All k count: use "
        "index_add_, or sum over a dimension of k.",
    ),
    _padded(
        "parcels-padded-to-the-largest",
        "max(counts)",
        "You pad what goes to the ranks to the size of the largest parcel, so a rank sends more than its "
        "copies and results. all_to_all takes any sizes: send just the rows.",
    ),
    _padded(
        "parcels-padded-to-all-copies",
        "len(flat)",
        "You pad every parcel to as many rows as a rank has copies, most of them zeros. all_to_all takes any "
        "sizes: send just the rows that the other rank needs.",
    ),
    Mistake(
        "combined-in-float32",
        find="(weight[..., None] * copies)",
        replace="(weight.float()[..., None] * copies.float())",
        says="You combine the experts' results in float32, so that float64 tokens come back as float32. "
        "Keep their dtype.",
    ),
    Mistake(
        "ranks-without-copies-not-counted",
        find="torch.bincount(flat // per_rank, minlength=world_size)",
        replace="torch.bincount(flat // per_rank)",
        says="You count the copies for each rank without saying how many ranks there are, so the counts "
        "stop at the last rank that gets any: bincount(…, minlength=world_size).",
    ),
    Mistake(
        "ids-sent-as-floating-point",
        find="rows, ids = collectives.all_to_all(rows), collectives.all_to_all(ids)",
        replace="""\
rows = collectives.all_to_all(rows)
    ids = collectives.all_to_all([[part.float() for part in row] for row in ids])""",
        says="You send the experts' numbers as floating-point tensors, which count among the elements that "
        "a rank sends. They are integers: leave them so.",
    ),
    Mistake(
        "local-numbers-sent-as-floating-point",
        find="rows, ids = collectives.all_to_all(rows), collectives.all_to_all(ids)",
        replace="""\
rows = collectives.all_to_all(rows)
    ids = collectives.all_to_all([[(part % per_rank).float() for part in row] for row in ids])""",
        also=(("own = chosen == number", "own = chosen == number - rank * per_rank"),),
        says="You send the experts' numbers on their rank as floating-point ones (as a column of the rows, "
        "for example), which count among the elements that a rank sends. They are integers: send them as "
        "such, in a tensor of their own.",
    ),
    Mistake(
        "stopped-at-an-expert-without-rows",
        find="""\
            if own.any():
                result[own] = expert(joined[own])
""",
        replace="""\
            if not own.any():
                break
            result[own] = expert(joined[own])
""",
        says="At the first of a rank's experts without rows you stop, and the experts behind it are not "
        "called either: continue, not break.",
    ),
    Mistake(
        "tokens-added",
        find="for weight, order, parts in zip(weights, orders,",
        replace="for x, weight, order, parts in zip(xs, weights, orders,",
        also=(("(weight[..., None] * copies).sum(dim=1)", "x + (weight[..., None] * copies).sum(dim=1)"),),
        says="You add the token itself, as a residual connection does. The result is the weighted sum of the "
        "experts' results alone.",
    ),
    Mistake(
        "numbers-of-8-bits",
        find="ids.append(flat[order].split(counts))",
        replace="ids.append(flat[order].to(torch.int8).split(counts))",
        says="With hundreds of experts rows go to others, or to none: the experts' numbers travel in 8 "
        "bits, for example, into which those beyond 127 do not go. Integers are not counted: send them as "
        "they are.",
    ),
    *(
        Mistake(
            f"dropped-beyond-a-capacity{id}",
            find="        order = flat.argsort()  # by expert, and so by the rank that has it\n",
            replace=f"""\
        order = {order}
        places = torch.arange(len(flat), device=flat.device)
        places = places - torch.searchsorted(flat[order].contiguous(), flat[order].contiguous())
        order = order[places < {capacity}]
""",
            also=(
                ("import torch\n", "import math\n\nimport torch\n"),
                ("bincount(flat // per_rank,", "bincount(flat[order] // per_rank,"),
                (
                    "copies = copies[order.argsort()].view(-1, k, hidden)",
                    "copies = copies.new_zeros(weight.numel(), hidden).index_copy(0, order, copies)\n"
                    "        copies = copies.view(-1, k, hidden)",
                ),
            ),
            says="Where many of a rank's tokens choose one expert you drop those beyond a capacity, as "
            "GShard and Switch Transformer do. Here nothing is dropped: all_to_all takes parcels of any "
            "size.",
        )
        for id, capacity, order in (
            ("-of-at-least-four", f"max(4, {_CAPACITY})", _BY_TOKEN),
            ("", _CAPACITY, _BY_TOKEN),
            ("-first-choices-first", _CAPACITY, _BY_CHOICE),
            ("-with-a-factor-of-1.25", f"{_CAPACITY[:-1]} * 1.25)", _BY_TOKEN),
            ("-with-a-factor-of-1.25-first-choices-first", f"{_CAPACITY[:-1]} * 1.25)", _BY_CHOICE),
            ("-with-a-factor-of-2", f"{_CAPACITY[:-1]} * 2)", _BY_TOKEN),
            ("-with-a-factor-of-2-first-choices-first", f"{_CAPACITY[:-1]} * 2)", _BY_CHOICE),
        )
    ),
    *(
        Mistake(
            f"weights-flattened-{words}",
            find="(weight[..., None] * copies)",
            replace=f"(weight{turned}[..., None] * copies)",
            says=f"Your copies are numbered {copies}, your weights {weights}, so that most copies get the "
            "weight of another one. Flatten both alike, the ids and the weights.",
        )
        for words, turned, copies, weights in (
            (
                "token-by-token",
                ".reshape(k, len(weight)).T",
                "choice by choice (all first ones, then all second ones)",
                "token by token",
            ),
            (
                "choice-by-choice",
                ".T.reshape(len(weight), k)",
                "token by token",
                "choice by choice (all first ones, then all second ones)",
            ),
        )
    ),
    Mistake(
        "ranks-without-tokens-passed-over",
        find="            if own.any():",
        replace="            if len(xs[rank]) > 0 and own.any():",
        says="A rank without tokens of its own does nothing in your answer, and the rows that others have "
        "sent to its experts come back as zeros. Its experts work for the others too: go by the rows that "
        "have come.",
    ),
]
