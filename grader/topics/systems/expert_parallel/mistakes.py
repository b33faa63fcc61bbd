"""Known wrong versions of `expert_parallel` that confuse rows, tokens, experts or weights."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "token-by-remainder",
        find="x[order // k]",
        replace="x[order % max(len(x), 1)]",
        says="You send token c % tokens for copy c. The choices lie token after token, k for each, so copy c "
        "is of token c // k.",
    ),
    Mistake(
        "owner-by-remainder",
        find="flat = chosen.flatten()",
        replace="flat = (chosen % world_size * per_rank + chosen // world_size).flatten()",
        says="You look for expert e on rank e % world_size. Each rank has per_rank experts in a row: expert "
        "e is on rank e // per_rank, and is its number e % per_rank.",
    ),
    Mistake(
        "one-expert-each-assumed",
        find="flat = chosen.flatten()",
        replace="flat = chosen.flatten() // per_rank * per_rank",
        says="You use the first expert of a rank for all rows that it gets. Of the rank's experts it is that "
        "of number e % per_rank.",
    ),
    Mistake(
        "numbers-counted-from-zero-on-each-rank",
        find="enumerate(local_experts, start=rank * per_rank)",
        replace="enumerate(local_experts)",
        says="A rank compares the ids that it gets, which count over all experts, with numbers that count "
        "from 0 on each rank. Its experts are rank * per_rank and those after it.",
    ),
    Mistake(
        "not-sorted-by-owner",
        find="order = flat.argsort()",
        replace="order = torch.arange(len(flat), device=flat.device)",
        says="You cut the copies by how many go to each rank without sorting them by rank, so rows reach "
        "ranks that do not have their expert. Sort first.",
    ),
    Mistake(
        "weights-dropped",
        find="(weight[..., None] * copies).sum(dim=1)",
        replace="copies.sum(dim=1)",
        says="You add up the experts' results without their weights.",
    ),
    Mistake(
        "averaged-over-k",
        find="(weight[..., None] * copies).sum(dim=1)",
        replace="(weight[..., None] * copies).mean(dim=1)",
        says="You average the weighted results over the k experts. The weights say already how much each "
        "counts: sum.",
    ),
    Mistake(
        "averaged-without-weights",
        find="(weight[..., None] * copies).sum(dim=1)",
        replace="copies.mean(dim=1)",
        says="You average the experts' results. Each has its weight: the weighted sum is asked for.",
    ),
    Mistake(
        "weights-made-to-sum-to-1",
        find="(weight[..., None] * copies)",
        replace="((weight / weight.sum(dim=1, keepdim=True))[..., None] * copies)",
        says="You divide the weights by their sum. They are used as they are given, whatever they sum to.",
    ),
    Mistake(
        "softmax-of-the-weights",
        find="(weight[..., None] * copies)",
        replace="(weight.softmax(dim=1)[..., None] * copies)",
        says="You take the softmax of the weights. They are weights already, and used as they are given.",
    ),
    Mistake(
        "first-choice-only",
        find="(weight[..., None] * copies).sum(dim=1)",
        replace="(weight[..., None] * copies)[:, 0]",
        says="Only a token's first expert counts in your result. All k do.",
    ),
    Mistake(
        "tokens-over-capacity-dropped",
        find="            own = chosen == number\n",
        replace="            own = chosen == number\n"
        "            own = own & (own.cumsum(0) <= -(-len(joined) // per_rank))\n",
        says="An expert takes a limited number of rows, and you drop the others. Here nothing is dropped, "
        "even if all tokens choose one expert.",
    ),
    Mistake(
        "tokens-over-a-capacity-factor-dropped",
        find="            own = chosen == number\n",
        replace="            own = chosen == number\n"
        "            own = own & (own.cumsum(0) <= -(-5 * len(joined) // (4 * per_rank)))\n",
        says="Your experts have a capacity, 1.25 times an even share of their rank's rows, and what comes "
        "beyond it is dropped. Here every copy is computed, however uneven the choices are.",
    ),
    Mistake(
        "results-in-the-default-dtype",
        find="torch.zeros_like(joined)",
        replace="torch.zeros(joined.shape)",
        says="You put the results into torch.zeros(...), which has the default dtype and device: float64 "
        "becomes float32. Use zeros_like.",
    ),
    Mistake(
        "results-on-the-default-device",
        find="torch.zeros_like(joined)",
        replace="torch.zeros(joined.shape, dtype=joined.dtype)",
        says="You put the results into torch.zeros(...) of the right dtype, but on the default device, "
        "wherever the tokens are. Use zeros_like.",
    ),
    Mistake(
        "stack-of-no-tokens",
        find="        outputs.append((weight[..., None] * copies).sum(dim=1))\n",
        replace="        pairs = zip(weight, copies, strict=True)\n"
        "        outputs.append(torch.stack([(factor[:, None] * own).sum(0) for factor, own in pairs]))\n",
        says="Your answer breaks where a rank has no tokens: torch.stack of an empty list raises. What such "
        "a rank gets is a tensor of shape (0, hidden).",
    ),
    Mistake(
        "sizes-from-the-first-token",
        find="k, hidden = expert_ids[0].shape[1], xs[0].shape[1]",
        replace="k, hidden = len(expert_ids[0][0]), len(xs[0][0])",
        says="You read sizes off the first token of rank 0, which may have none. The shapes tell them all "
        "the same.",
    ),
    Mistake(
        "second-copy-overwrites-the-first",
        find="order = flat.argsort()",
        replace="order = (flat // per_rank).argsort(stable=True)",
        also=(
            (
                "        outputs.append((weight[..., None] * copies).sum(dim=1))\n",
                "        sizes = [len(part) for part in parts]\n"
                "        factors, tokens = weight.flatten()[order].split(sizes), (order // k).split(sizes)\n"
                "        outputs.append(torch.zeros_like(copies[:, 0]))\n"
                "        for part, factor, token in zip(parts, factors, tokens, strict=True):\n"
                "            outputs[-1][token] += factor[:, None] * part\n",
            ),
        ),
        says="You add with output[token] += …, which counts a token once where it stands twice in the index: "
        "of two experts on one rank only one stays. Use index_add_, or put the copies side by side and sum.",
    ),
    Mistake(
        "copies-taken-choice-by-choice",
        find="copies = copies[order.argsort()].view(-1, k, hidden)",
        replace="copies = copies[order.argsort()].view(k, -1, hidden).transpose(0, 1)",
        says="You read the copies as the first choices of all tokens, then the second ones. They were laid "
        "out token by token: view(tokens, k, hidden).",
    ),
    Mistake(
        "expert-without-rows-called-with-zeros",
        find="                result[own] = expert(joined[own])\n",
        replace="                result[own] = expert(joined[own])\n"
        "            else:\n                expert(joined.new_zeros(1, hidden))\n",
        says="You call an expert that has no rows with a row of your own (zeros, for example). Without rows "
        "it is not called.",
    ),
]
