"""Known wrong versions of `expert_parallel` that send too much, know too much, or call experts otherwise."""

from grader.kit import Mistake

_SENT = "    rows, ids = collectives.all_to_all(rows), collectives.all_to_all(ids)\n"

MISTAKES = [
    Mistake(
        "all-tokens-to-all-ranks",
        find="    orders, rows, ids = [], [], []\n",
        replace="""\
    rows = collectives.all_to_all([[x] * world_size for x in xs])
    ids = collectives.all_to_all([[chosen] * world_size for chosen in expert_ids])
    results = []
    for rank, local_experts in enumerate(experts):
        joined, chosen = torch.cat(rows[rank]), torch.cat(ids[rank])
        made = joined.new_zeros(len(joined), k, hidden)
        for number, expert in enumerate(local_experts, start=rank * per_rank):
            token, place = (chosen == number).nonzero(as_tuple=True)
            if len(token):
                made[token, place] = expert(joined[token])
        results.append(made.split([len(x) for x in xs]))
    returned = collectives.all_to_all(results)
    return [(weight[..., None] * sum(parts)).sum(dim=1) for weight, parts in zip(weights, returned)]
    orders, rows, ids = [], [], []
""",
        says="You send every token to every rank, and every rank sends something back for each of them: an "
        "all-gather in disguise, whose cost grows with the number of ranks. Send a token only where an "
        "expert of its is.",
    ),
    Mistake(
        "weights-travel-too",
        find="    for x, chosen in zip(xs, expert_ids, strict=True):\n",
        replace="    for x, chosen, weight in zip(xs, expert_ids, weights, strict=True):\n",
        also=(
            (
                "rows.append(x[order // k].split(counts))",
                "rows.append(torch.cat([x[order // k], weight.flatten()[order][:, None]], "
                "dim=1).split(counts))",
            ),
            (
                "joined, chosen = torch.cat(rows[rank]), torch.cat(ids[rank])",
                "(joined, factor), chosen = torch.cat(rows[rank]).split([hidden, 1], 1), "
                "torch.cat(ids[rank])",
            ),
            ("= expert(joined[own])", "= expert(joined[own]) * factor[own]"),
            ("(weight[..., None] * copies).sum(dim=1)", "copies.sum(dim=1)"),
        ),
        says="You send the weights along with the rows and multiply where the expert is. That is one more "
        "number for each copy, and in training a gradient to send back: they are needed at home only.",
    ),
    Mistake(
        "choices-travel-as-floats",
        find="rows.append(x[order // k].split(counts))",
        replace="rows.append(torch.cat([x[order // k], flat[order][:, None].to(x.dtype)], "
        "dim=1).split(counts))",
        also=(
            (_SENT, "    rows = collectives.all_to_all(rows)\n"),
            (
                "joined, chosen = torch.cat(rows[rank]), torch.cat(ids[rank])",
                "joined, chosen = torch.cat(rows[rank]).split([hidden, 1], dim=1)",
            ),
            ("own = chosen == number", "own = chosen[:, 0].abs() == number"),
        ),
        says="You send the experts' numbers as one more floating-point column of the rows. They are "
        "integers: send them in an all_to_all of their own, or how many rows there are for each expert.",
    ),
    Mistake(
        "sizes-sent-first",
        find=_SENT,
        replace="    sizes = [[each.new_tensor([len(each)]) for each in row] for row in ids]\n"
        "    collectives.all_to_all(sizes)\n" + _SENT,
        says="You call all_to_all four times. Three will do: rows, what tells their experts (ids, or how "
        "many rows for each), and results. How many rows come, their shape says.",
    ),
    Mistake(
        "choices-read-from-the-lists",
        find=_SENT,
        replace="    rows, ids = collectives.all_to_all(rows), list(zip(*ids, strict=True))\n",
        says="A rank reads the choices of other ranks' tokens from expert_ids. It has its own entry of the "
        "list; for which experts the others' rows are, they have to tell it by all_to_all.",
    ),
    Mistake(
        "choices-read-from-the-lists-and-sent",
        find="rows, ids = collectives.all_to_all(rows), collectives.all_to_all(ids)",
        replace="""\
rows = collectives.all_to_all(rows)
    collectives.all_to_all(ids)
    ids = [[row[target] for row in ids] for target in range(world_size)]""",
        says="Integers travel, but your ranks do not go by them: for which experts the rows are they read "
        "from the other ranks' expert_ids. Such lists exist in this exercise only; go by what has come.",
    ),
    Mistake(
        "tokens-read-from-the-lists",
        find=_SENT,
        replace="    rows, ids = list(zip(*rows, strict=True)), collectives.all_to_all(ids)\n",
        says="A rank reads other ranks' tokens from xs. It has its own entry of the list; the others' come "
        "by all_to_all.",
    ),
    Mistake(
        "results-read-from-the-lists",
        find="    returned = collectives.all_to_all(results)\n",
        replace="    returned = list(zip(*results, strict=True))\n",
        says="A rank reads the results off the ranks that have computed them. They have to be sent back: one "
        "more all_to_all.",
    ),
    Mistake(
        "experts-called-where-the-tokens-are",
        find="    orders, rows, ids = [], [], []\n",
        replace="""\
    outputs = []
    for x, chosen, weight in zip(xs, expert_ids, weights, strict=True):
        output = torch.zeros_like(x)
        for number in range(world_size * per_rank):
            token, place = (chosen == number).nonzero(as_tuple=True)
            if len(token):
                result = experts[number // per_rank][number % per_rank](x[token])
                output[token] += weight[token, place][:, None] * result
        outputs.append(output)
    return outputs
    orders, rows, ids = [], [], []
""",
        says="Each rank calls all experts itself, as if it had them, and nothing is sent. An expert's "
        "weights are on its own rank only: the tokens have to go there.",
    ),
    Mistake(
        "called-for-each-source",
        find="                result[own] = expert(joined[own])\n",
        replace="                counts = [int((each == number).sum()) for each in ids[rank]]\n"
        "                parts = [each for each in joined[own].split(counts) if len(each)]\n"
        "                result[own] = torch.cat([expert(each) for each in parts])\n",
        says="You call an expert once for each rank that sends it rows: many small products instead of one "
        "large. Join its rows from all ranks and call it once.",
    ),
    Mistake(
        "called-for-each-row",
        find="expert(joined[own])",
        replace="torch.cat([expert(row[None]) for row in joined[own]])",
        says="You call an expert for one row after the other. Call it once, with all of its rows.",
    ),
    Mistake(
        "called-without-rows",
        find="            if own.any():\n                result[own] = expert(joined[own])\n",
        replace="            result[own] = expert(joined[own])\n",
        says="You call experts that got no rows. Leave them out.",
    ),
]
