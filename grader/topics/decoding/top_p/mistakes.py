"""Known wrong versions of `top_p`."""

from grader.kit import Mistake
from grader.kit.families.sampling import mistakes as sampling_mistakes

CROSSING_TOKEN_DROPPED = Mistake(
    "crossing-token-dropped",
    find="probs.cumsum(dim=-1) - probs",
    replace="probs.cumsum(dim=-1)",
    says="You drop the token that crosses p, and with it every token if the first one alone "
    "reaches p. A token goes only if the ones *before* it already reach p: compare the "
    "cumulative sum minus the token's own probability.",
)


MISTAKES = [
    CROSSING_TOKEN_DROPPED,
    sampling_mistakes.nothing_kept(CROSSING_TOKEN_DROPPED),
    Mistake(
        "not-summed-up",
        find="    before = probs.cumsum(dim=-1) - probs\n    remove_sorted = before >= p",
        replace="    remove_sorted = probs < p",
        says="You compare each token's own probability with p. It is what the most probable ones have "
        "together that has to reach p: their cumulative sum.",
    ),
    sampling_mistakes.zeros_instead_of_infinity("logits.masked_fill(remove, -math.inf)"),
    Mistake(
        "crossing-token-dropped-but-one-kept",
        find="    remove_sorted = before >= p",
        replace="""\
    remove_sorted = before + probs > p
    remove_sorted[..., 0] = False""",
        says="You drop the token that crosses p and save only the very first one. The nucleus has to "
        "reach p, so the token that crosses it stays: compare the probability *before* each token "
        "with p (or shift the mask by one place).",
    ),
    Mistake(
        "mask-not-scattered-back",
        find="    remove = torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)",
        replace="    remove = remove_sorted",
        says="You apply a mask in sorted order to logits in the vocabulary's order, so the wrong "
        "tokens go. Scatter it back along the indices that sort gave you.",
    ),
    Mistake(
        "gathered-instead-of-scattered",
        find="torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)",
        replace="remove_sorted.gather(-1, order)",
        says="You gather the mask with the sorting indices, which permutes it the wrong way. order[j] "
        "is the token at place j, so the mask at place j belongs to token order[j]: scatter, or "
        "gather with order.argsort(-1).",
    ),
    Mistake(
        "removed-in-every-row",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="""\
    filtered = logits.clone()
    filtered[..., order[remove_sorted]] = -math.inf
    return filtered""",
        says="You index with the removed tokens of all rows at once, so a token that one row removes "
        "is removed in every row. That works for a single row only; scatter the mask row by row.",
    ),
    Mistake(
        "sum-of-logits",
        find="    probs = torch.softmax(sorted_logits, dim=-1)",
        replace="    probs = sorted_logits",
        says="You add up logits. p is a probability, so take the softmax first and add up that.",
    ),
    Mistake(
        "logits-overwritten",
        find="logits.masked_fill(remove, -math.inf)",
        replace="logits.masked_fill_(remove, -math.inf)",
        says="You write -inf into the caller's logits. The argument must stay as it is: masked_fill, "
        "without the underscore, makes a new tensor.",
    ),
    Mistake(
        "filtered-before-temperature",
        find="filtered = top_p_filter(logits / temperature, p)",
        replace="filtered = top_p_filter(logits, p) / temperature",
        says="You filter before you apply the temperature, so the set of tokens is that of temperature "
        "1. Divide by the temperature first: it changes the probabilities, and so which tokens "
        "reach p.",
    ),
    sampling_mistakes.TEMPERATURE_ZERO,
    sampling_mistakes.nothing_kept(sampling_mistakes.TEMPERATURE_ZERO),
    sampling_mistakes.GENERATOR_IGNORED,
    sampling_mistakes.GENERATOR_IGNORED_FOR_A_SINGLE_ROW,
    sampling_mistakes.probabilities_over_rows(
        "torch.softmax(sorted_logits, dim=-1)", "torch.softmax(sorted_logits, dim=0)"
    ),
    sampling_mistakes.FIRST_ROW_FOR_ALL,
    Mistake(
        "one-token-too-many",
        find="    remove_sorted = before >= p",
        replace="""\
    remove_sorted = (before >= p).roll(1, dims=-1)
    remove_sorted[..., 0] = False""",
        says="You keep one token more than needed: you shift the mask by one place although you "
        "already compare the probability *before* each token. The set ends with the token that "
        "crosses p.",
    ),
    Mistake(
        "result-left-sorted",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return sorted_logits.masked_fill(remove_sorted, -math.inf)",
        says="You return the logits in sorted order, so every index names another token. Bring the "
        "mask (or the result) back to the vocabulary's order.",
    ),
    Mistake(
        "result-left-sorted-for-every-p",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return sorted_logits.masked_fill(remove_sorted, -math.inf)",
        also=(("return logits.clone()", "return logits.sort(dim=-1, descending=True).values"),),
        says="You return the logits in sorted order (with p = 1 too), so every index names another token. "
        "Bring the mask (or the result) back to the vocabulary's order, in the filter itself.",
    ),
    Mistake(
        "log-probabilities-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.log_softmax(dim=-1).masked_fill(remove, -math.inf)",
        also=(("return logits.clone()", "return logits.log_softmax(dim=-1)"),),
        says="You return log-probabilities. That draws the same tokens, but kept logits do not change: the "
        "filter only puts -inf where a token goes.",
    ),
    Mistake(
        "log-probabilities-of-the-kept-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.masked_fill(remove, -math.inf).log_softmax(dim=-1)",
        also=(("return logits.clone()", "return logits.log_softmax(dim=-1)"),),
        says="You return the log-probabilities that are left after the filter. That draws the same tokens, "
        "but kept logits do not change: the filter only puts -inf where a token goes.",
    ),
    sampling_mistakes.temperature_multiplied("top_p_filter(logits / temperature, p)"),
    Mistake(
        "p-unchecked",
        find="""\
    if not 0 < p <= 1:
        raise ValueError(f"p must be in (0, 1], not {p}")
""",
        replace="",
        says="You accept a p outside (0, 1], where it has no meaning: no token at all is needed to reach 0, "
        "and no set of them reaches more than 1. Raise a ValueError.",
    ),
    Mistake(
        "p-one-drops-the-tail",
        find="""\
    if p == 1:
        return logits.clone()  # the rounded sum may reach 1 before the last token
""",
        replace="",
        says="With p = 1 you lose very improbable tokens: the rounded cumulative sum reaches 1 before "
        "them. p = 1 keeps all, so return the logits unfiltered.",
    ),
    Mistake(
        "p-one-drops-the-tail-of-a-sum-above-one",
        find="""\
    if p == 1:
        return logits.clone()  # the rounded sum may reach 1 before the last token
""",
        replace="",
        also=(("before >= p", "before > p"),),
        says="With p = 1 you lose very improbable tokens where the rounded cumulative sum comes out a little "
        "above 1 before them. p = 1 keeps all, so return the logits unfiltered.",
    ),
    Mistake(
        "sorted-ascending",
        find="descending=True",
        replace="descending=False",
        says="You sort ascending, so you keep the *least* probable tokens until they reach p. Start "
        "from the most probable: sort(descending=True).",
    ),
    *sampling_mistakes.large_negatives_instead_of_infinity("logits.masked_fill(remove, -math.inf)"),
    sampling_mistakes.NEGATIVE_TEMPERATURE_ACCEPTED,
    sampling_mistakes.temperature_divided_in_place("top_p_filter(logits / temperature, p)"),
    sampling_mistakes.LEADING_DIMENSIONS_NOT_FLATTENED,
    sampling_mistakes.DRAWN_DIMENSION_LEFT,
    Mistake(
        "temperature-ignored",
        find="    filtered = top_p_filter(logits / temperature, p)",
        replace="    filtered = top_p_filter(logits, p)",
        says="Your draws are those of temperature 1 at every temperature. It is not used, or it acts after "
        "the softmax: dividing all probabilities by one number changes nothing once they are normalized. "
        "Divide the logits by it before the filter.",
    ),
    Mistake(
        "uniform-among-the-kept",
        find="    probs = torch.softmax(filtered, dim=-1)",
        replace="    probs = filtered.isfinite().to(logits.dtype)",
        says="You draw the kept tokens with equal chances. They keep their relative probabilities: draw from "
        "the softmax of the filtered logits.",
    ),
    Mistake(
        "place-instead-of-token",
        find="""\
    probs = torch.softmax(filtered, dim=-1)
    rows""",
        replace="""\
    probs = torch.softmax(filtered, dim=-1).sort(dim=-1, descending=True).values
    rows""",
        says="You draw from the sorted probabilities and return the place in the sorted row, not the "
        "token. Place j is token order[j]: look it up with order.gather(-1, place), or draw in "
        "the vocabulary's order.",
    ),
    sampling_mistakes.TEMPERATURE_FLOORED,
    sampling_mistakes.TOKENS_LEFT_FLAT,
    sampling_mistakes.ONE_ROW_GIVES_A_VECTOR,
    sampling_mistakes.DRAWN_UNFILTERED,
    sampling_mistakes.ONE_DRAW_FOR_ALL_ROWS,
    sampling_mistakes.ARGMAX_INSTEAD_OF_A_DRAW,
    Mistake(
        "vanishing-tokens-dropped-at-p-of-one",
        find="        return logits.clone()  # the rounded sum may reach 1 before the last token",
        replace="        return logits.masked_fill(torch.softmax(logits, dim=-1) == 0, -math.inf)",
        says="With p = 1 you lose tokens whose probability underflows to 0. Sorted ascending, for example, "
        "their cumulative sum is 0, which is not above 1 - p, so `cumulative <= 1 - p` removes them. p = 1 "
        "keeps all: return the logits unfiltered.",
    ),
    Mistake(
        "all-rows-as-one",
        find="    sorted_logits, order = logits.sort(dim=-1, descending=True)",
        replace="""\
    if logits.dim() > 1:
        return top_p_filter(logits.flatten(), p).view_as(logits)
    sorted_logits, order = logits.sort(dim=-1, descending=True)""",
        says="You filter the whole tensor as if it were one row, so a row may lose all of its tokens to "
        "another. Every row is filtered on its own: over dim -1.",
    ),
    Mistake(
        "temperature-for-the-set-only",
        find="    probs = torch.softmax(filtered, dim=-1)\n",
        replace="    probs = torch.softmax(logits.masked_fill(filtered.isinf(), -math.inf), dim=-1)\n",
        says="Your temperature decides which tokens are kept, but you draw from the logits without it. Draw "
        "from the softmax of the filtered logits / temperature.",
    ),
    Mistake(
        "p-of-zero-accepted",
        find="if not 0 < p <= 1:",
        replace="if not 0 <= p <= 1:",
        says="You accept p = 0, which no set of tokens is needed for. p is in (0, 1]: raise a ValueError.",
    ),
    Mistake(
        "p-above-one-accepted",
        find="if not 0 < p <= 1:",
        replace="if not 0 < p:",
        says="You accept a p above 1, which no probabilities reach. p is in (0, 1]: raise a ValueError.",
    ),
    Mistake(
        "p-of-one-refused",
        find="if not 0 < p <= 1:",
        replace="if not 0 < p < 1:",
        says="You refuse p = 1. It belongs to the range (0, 1], and keeps all tokens.",
    ),
    sampling_mistakes.LOW_TEMPERATURES_TAKEN_FOR_ZERO,
    sampling_mistakes.low_temperatures_raised("top_p_filter(logits / temperature, p)"),
    sampling_mistakes.SEED_SET,
    *sampling_mistakes.NEVER_MOVED_ON,
    sampling_mistakes.LEADING_ONES_SQUEEZED,
]
