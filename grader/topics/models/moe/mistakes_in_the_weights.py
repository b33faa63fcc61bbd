"""Known wrong versions of `MoE` that weigh the chosen experts otherwise, or spoil logits or tokens."""

from grader.kit import Mistake

WEIGHTS = "weights = top_logits.softmax(dim=-1)"
CHOICE = "top_logits, chosen = router_logits.topk(self.top_k, dim=-1)"
LOOP = """\
            token, place = torch.where(chosen == index)  # whose choice it is, and its first or second
            result = expert(tokens[token])  # (tokens of this expert, hidden_size)
            # Added, not assigned: another expert may have been there before.
            output = output.index_add(0, token, result * weights[token, place, None])"""
RETURNED = "return output.view(batch, seq, hidden_size), router_logits.view(batch, seq, -1)"

MISTAKES = [
    Mistake(
        "weights-not-renormalized",
        find=WEIGHTS,
        replace="weights = router_logits.softmax(dim=-1).gather(1, chosen)",
        says="Your weights are the chosen experts' part of a softmax over all experts: they do not add up "
        "to 1, and with top_k 1 the weight is not 1. Take the softmax over the chosen logits alone (or "
        "divide by the sum of the chosen weights).",
    ),
    Mistake(
        "equal-weights",
        find=WEIGHTS,
        replace="weights = torch.ones_like(top_logits) / self.top_k",
        says="You give all chosen experts the same weight, so no gradient reaches the router. The weights "
        "are the softmax over the chosen logits.",
    ),
    Mistake(
        "weights-missing",
        find=WEIGHTS,
        replace="weights = torch.ones_like(top_logits)",
        says="You add the experts' results without weights. Each counts with its own, the softmax over the "
        "chosen logits: by them the router learns.",
    ),
    Mistake(
        "raw-logits-as-weights",
        find=WEIGHTS,
        replace="weights = top_logits",
        says="You weight the experts by the logits as they are. Their softmax gives the weights.",
    ),
    Mistake(
        "sigmoid-weights",
        find=WEIGHTS,
        replace="weights = top_logits.sigmoid()",
        says="Your weights are sigmoids of the logits, which do not add up to 1. Mixtral takes the softmax "
        "over the chosen logits.",
    ),
    Mistake(
        "largest-sigmoids-as-weights",
        find=CHOICE,
        replace="top_logits, chosen = router_logits.sigmoid().topk(self.top_k, dim=-1)",
        also=((WEIGHTS, "weights = top_logits"),),
        says="Your weights are sigmoids of the logits, which do not add up to 1. Mixtral takes the softmax "
        "over the chosen logits.",
    ),
    Mistake(
        "sigmoid-weights-renormalized",
        find=WEIGHTS,
        replace="weights = top_logits.sigmoid() / top_logits.sigmoid().sum(dim=-1, keepdim=True)",
        says="You divide sigmoids of the chosen logits by their sum, as DeepSeek-V3 does. Here the weights "
        "are a softmax of the chosen logits.",
    ),
    Mistake(
        "softmax-twice",
        find=WEIGHTS,
        replace="weights = router_logits.softmax(dim=-1).gather(1, chosen).softmax(dim=-1)",
        says="You take the softmax of probabilities: once over all experts, and once more over the chosen "
        "ones. That makes the weights nearly equal. Once is right, over the chosen logits.",
    ),
    Mistake(
        "weights-over-tokens",
        find=WEIGHTS,
        replace="weights = top_logits.softmax(dim=0)",
        says="Your softmax runs over the tokens, not over a token's choices: dim=-1, so that the weights of "
        "each token add up to 1.",
    ),
    Mistake(
        "weights-detached",
        find=WEIGHTS,
        replace="weights = top_logits.softmax(dim=-1).detach()",
        says="No gradient reaches the router through the weights: they are detached (or computed under "
        "no_grad). The choice itself has no gradient, so the router would learn nothing from the output.",
    ),
    Mistake(
        "weight-before-the-expert",
        find=LOOP,
        replace="""\
            token, place = torch.where(chosen == index)
            result = expert(tokens[token] * weights[token, place, None])
            output = output.index_add(0, token, result)""",
        says="You multiply an expert's input by the weight. An expert is not linear, so that is another "
        "number: its result is multiplied.",
    ),
    Mistake(
        "weights-of-the-first-choice",
        find="result * weights[token, place, None]",
        replace="result * weights[token, :1]",
        says="You weight every expert of a token by the weight of its first choice. The column of the "
        "weights is the place at which the token chose this expert: torch.where(chosen == expert) gives it.",
    ),
    Mistake(
        "weights-in-another-order",
        find="result * weights[token, place, None]",
        replace="result * weights.flip(1)[token, place, None]",
        says="The weights stand in another order than the experts: a token's first choice gets the weight "
        "of its last one. topk gives values and indices in the same order, largest first.",
    ),
    Mistake(
        "weight-by-the-experts-number",
        find="result * weights[token, place, None]",
        replace="result * weights[token, index % self.top_k, None]",
        says="You take the column of the weights from the number of the expert. The weights' columns are a "
        "token's choices in the order of topk, not experts: take the place at which it chose this one.",
    ),
    Mistake(
        "divided-by-top-k",
        find=RETURNED,
        replace=RETURNED.replace("output.view(", "(output / self.top_k).view("),
        says="You divide the output by top_k. The weights add up to 1 already: their sum is a mean.",
    ),
    Mistake(
        "exponentials-overflow",
        find=WEIGHTS,
        replace="weights = top_logits.exp() / top_logits.exp().sum(dim=-1, keepdim=True)",
        says="Your softmax overflows for large logits. Subtract the largest one first, or call softmax.",
    ),
    Mistake(
        "logits-shifted",
        find=CHOICE,
        replace=f"""\
router_logits = router_logits - router_logits.amax(dim=-1, keepdim=True)
        {CHOICE}""",
        says="The logits that you return are less by each token's largest one, which you have subtracted for "
        "the softmax. Return them as the router gives them, and shift a copy; softmax does so itself.",
    ),
    Mistake(
        "chosen-logits-masked-in-place",
        find="""\
        top_logits, chosen = router_logits.topk(self.top_k, dim=-1)  # each (tokens, top_k)
""",
        replace="""\
        remaining, picks, found = router_logits.data, [], []
        for _ in range(self.top_k):
            picks.append(remaining.argmax(dim=-1, keepdim=True))
            found.append(router_logits.gather(-1, picks[-1]))
            remaining.scatter_(-1, picks[-1], float("-inf"))
        chosen, top_logits = torch.cat(picks, dim=-1), torch.cat(found, dim=-1)
""",
        says="You look for the best logits by writing -inf over each that you found, into the router's "
        "logits themselves (.data and detach() are no copies), and these you return. Use topk, or "
        "clone first.",
    ),
    Mistake(
        "chosen-logits-masked-before-the-weights",
        find="""\
        top_logits, chosen = router_logits.topk(self.top_k, dim=-1)  # each (tokens, top_k)
""",
        replace="""\
        remaining, picks = router_logits.data, []
        for _ in range(self.top_k):
            picks.append(remaining.argmax(dim=-1, keepdim=True))
            remaining.scatter_(-1, picks[-1], float("-inf"))
        chosen = torch.cat(picks, dim=-1)
        top_logits = router_logits.gather(-1, chosen)
""",
        says="You write -inf over the best logits, into the router's logits themselves, and take the "
        "weights from them afterwards: they are softmax of -inf. Use topk, or clone first.",
    ),
    *(
        Mistake(
            f"other-logits-masked{by}",
            find=WEIGHTS,
            replace=f"""\
is_chosen = torch.zeros_like(router_logits, dtype=torch.bool).scatter(1, chosen, True)
        router_logits = router_logits.masked_fill(~is_chosen, {lowest})
        {WEIGHTS}""",
            says=f"The logits that you return have {called} where an expert is not chosen (masked in place "
            "for the softmax, for example). Return all of them as the router gives them, and mask a copy.",
        )
        for by, lowest, called in (
            ("", "-torch.inf", "-inf"),
            ("-by-the-lowest-number", "torch.finfo(router_logits.dtype).min", "the lowest number"),
        )
    ),
    Mistake(
        "stopped-at-an-expert-without-tokens",
        find="            result = expert(tokens[token])",
        replace="""\
            if len(token) == 0:
                break
            result = expert(tokens[token])""",
        says="At the first expert that no token has chosen you stop, and those behind it are not asked "
        "either: continue, not break.",
    ),
    Mistake(
        "silu-of-the-product",
        find="F.silu(self.gate_proj(x)) * self.up_proj(x)",
        replace="F.silu(self.gate_proj(x) * self.up_proj(x))",
        says="Your experts take SiLU of the product of gate and value. It belongs on the gate alone: "
        "silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "logits-in-float32",
        find="return output.view(batch, seq, hidden_size), router_logits.view(batch, seq, -1)",
        replace=("return output.view(batch, seq, hidden_size), router_logits.float().view(batch, seq, -1)"),
        says="The router's logits come back as float32 whatever x is. They have the dtype of x and the "
        "parameters.",
    ),
    Mistake(
        "view-of-x",
        find="tokens = x.reshape(-1, hidden_size)",
        replace="tokens = x.view(-1, hidden_size)",
        says="You flatten x with view, which an x that is not contiguous refuses: reshape copies where it "
        "has to.",
    ),
    Mistake(
        "weights-left-in-the-order-of-the-tokens",
        find="        output = torch.zeros_like(tokens)\n",
        replace="        output, done = torch.zeros_like(tokens), 0\n",
        also=(
            (
                "output.index_add(0, token, result * weights[token, place, None])",
                "output.index_add(0, token, result * weights.reshape(-1, 1)[done : done + len(token)])\n"
                "            done += len(token)",
            ),
        ),
        says="You go through the choices expert by expert (in a stable sort, for example) and through their "
        "weights in the order of the tokens, so a result is multiplied by another choice's weight. Take the "
        "weights in the choices' order.",
    ),
    Mistake(
        "weights-not-sorted-with-the-choices",
        find=LOOP,
        replace="""\
            order = chosen.reshape(-1).argsort()
            (sorted_places,) = torch.where(chosen.reshape(-1)[order] == index)
            token = order[sorted_places] // self.top_k
            result = expert(tokens[token])
            output = output.index_add(0, token, result * weights.reshape(-1, 1)[sorted_places])""",
        says="You sort the choices by expert, but their weights stay in the order of the tokens, so a result "
        "is multiplied by another choice's weight. Sort the weights with the same indices: weights[order].",
    ),
    Mistake(
        "weights-flattened-the-other-way-round",
        find="result * weights[token, place, None]",
        replace="result * weights.mT.reshape(-1)[token * self.top_k + place, None]",
        says="You flatten the weights with all first choices first, and take them token by token (choice by "
        "choice), so a result is multiplied by another token's weight. Flatten choices and weights alike.",
    ),
]
