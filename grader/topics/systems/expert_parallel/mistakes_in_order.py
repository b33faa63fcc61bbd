"""Known wrong versions of `expert_parallel` that lose the order of rows, however they are sorted and sent."""

from dataclasses import replace

from grader.kit import Mistake

_BY_OWNER = ("order = flat.argsort()", "order = (flat // per_rank).argsort(stable=True)")
_STABLY = ("order = flat.argsort()", "order = flat.argsort(stable=True)")
_BY_CHOICE = (
    ("flat = chosen.flatten()", "flat = chosen.t().flatten()"),
    ("x[order // k]", "x[order % max(len(x), 1)]"),
    (".view(-1, k, hidden)", ".view(k, -1, hidden).transpose(0, 1)"),
)
_SENT_ROUND = ("x[order // k]", "x[order % max(len(x), 1)]")
_COMBINED_ROUND = (
    "outputs.append((weight[..., None] * copies).sum(dim=1))",
    "outputs.append((weight[..., None] * copies).reshape(k, -1, hidden).sum(dim=0))",
)
_UNDONE = "copies = copies[order.argsort()].view("
_RESULT = "                result[own] = expert(joined[own])\n"
_PARTS = ("result = torch.zeros_like(joined)\n", "parts = [joined[:0]]\n")
_APPENDED = "                parts.append(expert(joined[own]))\n"


def by_choice(mistake: Mistake) -> list[Mistake]:
    """With a token's copies side by side, and with all first choices before all second ones."""
    other = replace(mistake, id=f"{mistake.id}-by-choice", also=(*mistake.also, *_BY_CHOICE))
    flat = other.replace.replace("weight.flatten()", "weight.t().flatten()")
    return [mistake, replace(other, replace=flat)]


def sorted_otherwise(mistake: Mistake) -> list[Mistake]:
    """Where rows are sorted by expert, in any order of equals or in theirs, and where only by rank."""
    stably = replace(mistake, id=f"{mistake.id}-stably", also=(*mistake.also, _STABLY))
    by_owner = replace(mistake, id=f"{mistake.id}-by-rank", also=(*mistake.also, _BY_OWNER))
    return [*by_choice(mistake), *by_choice(stably), *by_choice(by_owner)]


MISTAKES = [
    *sorted_otherwise(
        Mistake(
            "order-not-undone",
            find=_UNDONE,
            replace="copies = copies.view(",
            says="What comes back stands in the order in which you sent it, sorted by rank (and perhaps by "
            "expert), and you take it for the order of the tokens. Put each row back where it came from.",
        )
    ),
    *sorted_otherwise(
        Mistake(
            "order-applied-twice",
            find=_UNDONE,
            replace="copies = copies[order].view(",
            says="On the way back you apply the sorting order once more instead of undoing it. Its inverse "
            "is order.argsort(), or write result[order] = copies.",
        )
    ),
    *sorted_otherwise(
        Mistake(
            "taken-as-sorted-by-expert",
            find="torch.cat(rows[rank]), torch.cat(ids[rank])",
            replace="torch.cat(rows[rank]), torch.cat(ids[rank]).sort().values",
            says="You take the rows that a rank gets as sorted by expert. They come source after source: "
            "even where each source's are sorted, together they are not. Sort rows and ids alike, or choose "
            "by id.",
        )
    ),
    *sorted_otherwise(
        Mistake(
            "results-sorted-back-alone",
            find="torch.cat(rows[rank]), torch.cat(ids[rank])",
            replace="torch.cat(rows[rank]), torch.cat(ids[rank]).sort().values",
            also=(
                (
                    "        results.append(result.split(",
                    "        undone = torch.cat(ids[rank]).argsort(stable=True).argsort()\n"
                    "        results.append(result[undone].split(",
                ),
            ),
            says="You hand the rows to the experts as they came, as if they were sorted by expert, and bring "
            "only the results back from that order. Sort the rows too, or choose them by id.",
        )
    ),
    *sorted_otherwise(
        Mistake(
            "results-in-the-order-of-the-experts",
            find=_RESULT,
            replace=_APPENDED,
            also=(_PARTS, ("results.append(result.split(", "results.append(torch.cat(parts).split(")),
            says="You send the results back expert after expert. Those who wait for them count on the order "
            "in which they sent the rows: put each result in its row's place.",
        )
    ),
    *sorted_otherwise(
        Mistake(
            "results-sorted-once-more",
            find=_RESULT,
            replace=_APPENDED,
            also=(
                _PARTS,
                (
                    "        results.append(result.split(",
                    "        order = chosen.argsort(stable=True)\n"
                    "        results.append(torch.cat(parts)[order].split(",
                ),
            ),
            says="The results stand expert after expert, and you apply the order that sorted the rows once "
            "more instead of undoing it. Its inverse is order.argsort(), or write result[order] = ….",
        )
    ),
    *by_choice(
        Mistake(
            "results-for-each-source-by-expert",
            find=_RESULT,
            replace="""\
                made = expert(joined[own])
                origin = torch.cat([torch.full_like(each, source) for source, each in enumerate(ids[rank])])
                for source in range(world_size):
                    parts[source].append(made[origin[own] == source])
""",
            also=(
                (_PARTS[0], "parts = [[joined[:0]] for _ in range(world_size)]\n"),
                (
                    "        results.append(result.split([len(each) for each in rows[rank]]))\n",
                    "        results.append([torch.cat(part) for part in parts])\n",
                ),
                _BY_OWNER,
            ),
            says="You send each rank its results expert after expert: right to the sources, but where a "
            "source has rows for two of your experts not in the order of its rows. Put each result in its "
            "row's place.",
        )
    ),
    *sorted_otherwise(
        Mistake(
            "weights-before-the-order-is-undone",
            find=_UNDONE,
            replace="copies = (weight.flatten()[:, None] * copies)[order.argsort()].view(",
            also=(("(weight[..., None] * copies).sum(dim=1)", "copies.sum(dim=1)"),),
            says="You sort the copies, but not their weights, and multiply the two, so that a copy gets the "
            "weight of another. Multiply once the order is undone, or sort the weights alike.",
        )
    ),
    *(
        Mistake(
            f"tokens-counted-round{ending}",
            find=find,
            replace=replace,
            also=also,
            says=f"{where} you take copy c of the flattened (tokens, k) for one of token c % tokens. A "
            "token's k copies stand side by side there: copy c is of token c // k.",
        )
        for ending, (find, replace), also, where in (
            ("", _SENT_ROUND, (_COMBINED_ROUND,), "On the way out and back"),
            ("-when-combined", _COMBINED_ROUND, (), "On the way back"),
        )
    ),
    *sorted_otherwise(
        Mistake(
            "results-sorted-once-more-in-any-order-of-equals",
            find="torch.cat(rows[rank]), torch.cat(ids[rank])  # source after source\n",
            replace="""\
torch.cat(rows[rank]), torch.cat(ids[rank])
        again = chosen.argsort()
        joined, chosen = joined[again], chosen[again]
""",
            also=(("results.append(result.split(", "results.append(result[again].split("),),
            says="The results stand expert after expert, and you apply the order that sorted the rows once "
            "more instead of undoing it. Its inverse is order.argsort(), or write result[order] = ….",
        )
    ),
]
