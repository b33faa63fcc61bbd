"""Known wrong versions of `top_k`."""

from grader.kit import Mistake
from grader.kit.families.sampling import mistakes as sampling_mistakes

KTH_DROPPED = Mistake(
    "kth-dropped",
    find="""\
    # By place rather than by comparing with the smallest kept: that would keep more than k where values tie.
    filtered = torch.full_like(logits, -math.inf)
    return filtered.scatter(-1, tokens, values)""",
    replace="    return logits.masked_fill(logits <= values[..., -1:], -math.inf)",
    says="You drop the k-th largest logit too, because you compare with <=: k - 1 are kept, for k = 1 "
    "none. Drop only what is strictly smaller than the k-th.",
)


MISTAKES = [
    KTH_DROPPED,
    sampling_mistakes.nothing_kept(KTH_DROPPED),
    Mistake(
        "tie-of-rounded-probabilities",
        find="""\
    values, tokens = logits.topk(k, dim=-1)  # (..., k)
    # By place rather than by comparing with the smallest kept: that would keep more than k where values tie.
    filtered = torch.full_like(logits, -math.inf)
    return filtered.scatter(-1, tokens, values)""",
        replace="""\
    probs = torch.softmax(logits, dim=-1)
    return logits.masked_fill(probs < probs.topk(k, dim=-1).values[..., -1:], -math.inf)""",
        says="You compare probabilities with the k-th largest one. Logits that differ can have probabilities "
        "that round to the same number (0, for the improbable), and then you keep more than k. Compare the "
        "logits themselves, or keep the places that topk gives: these are always k.",
    ),
    *(
        Mistake(
            name,
            find="    values, tokens = logits.topk(k, dim=-1)  # (..., k)",
            replace=f"""\
    tokens = torch.softmax(logits, dim=-1).{places}
    values = logits.gather(-1, tokens)""",
            says="You rank probabilities. Logits that differ can have probabilities that round to the same "
            "number (0, for the improbable), and which of these you keep is chance. Rank the logits "
            "themselves: their order is the same, and no digit is lost.",
        )
        for name, places in [
            ("rounded-probabilities-ranked", "topk(k, dim=-1).indices"),
            ("rounded-probabilities-sorted", "argsort(dim=-1, descending=True)[..., :k]"),
        ]
    ),
    Mistake(
        "tie-in-float32",
        find="logits.topk(k, dim=-1)  # (..., k)",
        replace="logits.float().topk(k, dim=-1)\n    return logits.masked_fill(logits.float() < "
        "values[..., -1:], -math.inf)",
        says="You compare the logits in float32, where those of float64 that are close become equal: then "
        "more than k are kept. Compare them in their own dtype.",
    ),
    Mistake(
        "k-above-the-vocabulary",
        find="    k = min(k, logits.shape[-1])  # topk fails for more than there are",
        replace="",
        says="torch.topk fails when k is larger than the vocabulary. Then all logits are kept: "
        "k = min(k, logits.shape[-1]).",
    ),
    Mistake(
        "k-above-the-vocabulary-when-drawing",
        find="    filtered = top_k_filter(logits / temperature, k)",
        replace="    logits.topk(k, dim=-1)\n    filtered = top_k_filter(logits / temperature, k)",
        says="Your sample_top_k takes the k largest without limiting k, and torch.topk fails when k is "
        "larger than the vocabulary. There, too: k = min(k, logits.shape[-1]), or call top_k_filter.",
    ),
    Mistake(
        "k-unchecked",
        find="""\
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
""",
        replace="",
        says="You do not check k: 0 keeps nothing, so that no distribution is left, and what a negative one "
        "does depends on how you select. Raise a ValueError for k below 1.",
    ),
    Mistake(
        "smallest-kept",
        find="logits.topk(k, dim=-1)",
        replace="logits.topk(k, dim=-1, largest=False)",
        says="You keep the k *smallest* logits. Sort descending, or use topk with largest=True (its "
        "default).",
    ),
    Mistake(
        "one-threshold-for-all-rows",
        find="""\
    # By place rather than by comparing with the smallest kept: that would keep more than k where values tie.
    filtered = torch.full_like(logits, -math.inf)
    return filtered.scatter(-1, tokens, values)""",
        replace="    return logits.masked_fill(logits < values.min(), -math.inf)",
        says="You compare every row with one number, which is right for a single row only. Each row has its "
        "own k-th largest logit: keep the last dimension, values[..., -1:], so that it broadcasts.",
    ),
    Mistake(
        "k-of-the-whole-batch",
        find="    values, tokens = logits.topk(k, dim=-1)  # (..., k)",
        replace="    values = logits.flatten().topk(min(k, logits.numel())).values",
        also=(
            (
                "    return filtered.scatter(-1, tokens, values)",
                "    return torch.where(logits >= values[-1], logits, filtered)",
            ),
        ),
        says="You keep the k largest logits of the whole batch, which is right for a single row only. Each "
        "row keeps its own k: topk along the last dimension, without flattening.",
    ),
    Mistake(
        "kept-in-every-row",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="""\
    chosen = tokens.flatten().unique()
    filtered[..., chosen] = logits[..., chosen]
    return filtered""",
        says="You index with the kept tokens of all rows at once, so a token that one row keeps is kept in "
        "every row. That works for a single row only; scatter row by row, along the last dimension.",
    ),
    Mistake(
        "order-taken-for-ranks",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="""\
    order = logits.argsort(dim=-1, descending=True)
    return torch.where(order < k, logits, filtered)""",
        says="You take argsort for the ranks of the logits. It gives the token at each rank, not the rank of "
        "each token: argsort once more gives that, or scatter into the places that topk gives.",
    ),
    sampling_mistakes.zeros_instead_of_infinity("torch.full_like(logits, -math.inf)"),
    *sampling_mistakes.large_negatives_instead_of_infinity("torch.full_like(logits, -math.inf)"),
    Mistake(
        "only-the-k-returned",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="    return values",
        says="You return the k values without their places in the vocabulary, so nobody knows which tokens "
        "they are. The result has the shape of the logits: scatter the values into a row of -inf.",
    ),
    *(
        Mistake(
            f"permuted-by-gather{ending}",
            find="    return filtered.scatter(-1, tokens, values)",
            replace=f"""\
    if {condition}:
        return logits.clone()
    values, order = logits.sort(dim=-1, descending=True)
    values[..., k:] = -math.inf
    return values.gather(-1, order)""",
            says="You gather with the sorting indices, which permutes the logits once more instead of "
            "bringing them back: index j of the result has the wrong token's logit. order[j] is the token "
            "at place j, so the value at place j goes to token order[j]: scatter, or gather with "
            "order.argsort(-1).",
        )
        for ending, condition in (("", "False"), ("-where-some-go", "k == logits.shape[-1]"))
    ),
    Mistake(
        "logits-overwritten",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="    return logits.copy_(filtered.scatter(-1, tokens, values))",
        says="You write -inf into the caller's logits. The argument must stay as it is: work on a copy, or "
        "use masked_fill and scatter without the underscore.",
    ),
    Mistake(
        "temperature-after-softmax",
        find="""\
    filtered = top_k_filter(logits / temperature, k)
    probs = torch.softmax(filtered, dim=-1)""",
        replace="""\
    filtered = top_k_filter(logits, k)
    probs = torch.softmax(filtered, dim=-1) / temperature""",
        says="Your draws are those of temperature 1 at every temperature. It is not used, or it acts after "
        "the softmax: dividing all probabilities by one number changes nothing once they are normalized "
        "(and multinomial normalizes). Divide the logits, before the softmax.",
    ),
    sampling_mistakes.temperature_multiplied("top_k_filter(logits / temperature, k)"),
    sampling_mistakes.temperature_divided_in_place("top_k_filter(logits / temperature, k)"),
    sampling_mistakes.TEMPERATURE_ZERO,
    sampling_mistakes.nothing_kept(sampling_mistakes.TEMPERATURE_ZERO),
    sampling_mistakes.NEGATIVE_TEMPERATURE_ACCEPTED,
    Mistake(
        "uniform-among-the-k",
        find="    probs = torch.softmax(filtered, dim=-1)",
        replace="    probs = filtered.isfinite().to(logits.dtype)",
        says="You draw the k kept tokens with equal chances. They keep their relative probabilities: draw "
        "from the softmax of the filtered logits.",
    ),
    sampling_mistakes.probabilities_over_rows(
        "probs = torch.softmax(filtered, dim=-1)", "probs = torch.softmax(filtered, dim=0).nan_to_num()"
    ),
    sampling_mistakes.GENERATOR_IGNORED,
    sampling_mistakes.GENERATOR_IGNORED_FOR_A_SINGLE_ROW,
    sampling_mistakes.FIRST_ROW_FOR_ALL,
    Mistake(
        "place-instead-of-token",
        find="""\
    probs = torch.softmax(filtered, dim=-1)
    rows""",
        replace="""\
    probs = torch.softmax(filtered, dim=-1).sort(dim=-1, descending=True).values
    rows""",
        says="You return the place among the k kept tokens, not the token. topk also gives the tokens: "
        "look the place up with tokens.gather(-1, place), or draw in the vocabulary's order.",
    ),
    sampling_mistakes.LEADING_DIMENSIONS_NOT_FLATTENED,
    sampling_mistakes.DRAWN_DIMENSION_LEFT,
    sampling_mistakes.TEMPERATURE_FLOORED,
    sampling_mistakes.TOKENS_LEFT_FLAT,
    sampling_mistakes.ONE_ROW_GIVES_A_VECTOR,
    sampling_mistakes.DRAWN_UNFILTERED,
    sampling_mistakes.ONE_DRAW_FOR_ALL_ROWS,
    sampling_mistakes.ARGMAX_INSTEAD_OF_A_DRAW,
    Mistake(
        "zero-logits-taken-for-removed",
        find="    return filtered.scatter(-1, tokens, values)",
        replace="""\
    filtered = torch.zeros_like(logits).scatter(-1, tokens, values)
    return filtered.masked_fill(filtered == 0, -math.inf)""",
        says="You fill in -inf where the result is 0, so a logit of exactly 0 goes too. A logit of 0 is one "
        "like any other: start from a tensor of -inf, or mask by place.",
    ),
    sampling_mistakes.LOW_TEMPERATURES_TAKEN_FOR_ZERO,
    sampling_mistakes.low_temperatures_raised("top_k_filter(logits / temperature, k)"),
    sampling_mistakes.SEED_SET,
    *sampling_mistakes.NEVER_MOVED_ON,
    Mistake(
        "probabilities-taken-for-logits",
        find="    filtered = top_k_filter(logits / temperature, k)",
        replace="    filtered = top_k_filter(torch.softmax(logits, dim=-1) / temperature, k)",
        says="You take the softmax twice: of the logits, and of the probabilities that are left, as if these "
        "were logits. They lie between 0 and 1, so that the draw is nearly uniform. Filter the logits "
        "/ temperature, and take one softmax of what is left.",
    ),
    sampling_mistakes.LEADING_ONES_SQUEEZED,
    sampling_mistakes.in_half_precision(
        "values, tokens = logits.topk(k, dim=-1)",
        "tokens = logits.half().topk(k, dim=-1).indices\n    values = logits.gather(-1, tokens)",
    ),
    sampling_mistakes.COARSE_DRAWS,
]
