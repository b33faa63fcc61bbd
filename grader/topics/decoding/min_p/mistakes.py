"""Known wrong versions of `min_p`."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.sampling import mistakes as sampling_mistakes

CALL = "min_p_filter(logits / temperature, min_p)"
THRESHOLD = "    threshold = min_p * probs.amax(dim=-1, keepdim=True)  # (..., 1)"
ZERO = """\
    if temperature == 0:
        return min_p_filter(logits, min_p).argmax(dim=-1)  # which no filter removes
"""

ABSOLUTE = Mistake(
    "absolute-threshold",
    find=THRESHOLD,
    replace="    threshold = min_p",
    says="You compare probabilities with min_p itself. Where the model is unsure no token may have that "
    "much, and none is left. The threshold is min_p *times* the largest probability of the row.",
)
AT_THE_THRESHOLD = Mistake(
    "threshold-itself-removed",
    find="    remove = probs < threshold",
    replace="    remove = probs <= threshold",
    says="You remove what lies *at* the threshold too. With min_p = 1 that is the most probable token "
    "itself, so none is left (and with min_p = 0, unless that is a case of its own, it is every token whose "
    "probability underflows to 0). Only what is below the threshold goes.",
)
TEMPERATURE_ZERO = replace(sampling_mistakes.TEMPERATURE_ZERO, find=ZERO)

MISTAKES = [
    ABSOLUTE,
    Mistake(
        "absolute-threshold-with-one-kept",
        find="    remove = probs < threshold",
        replace="    remove = (probs < min_p).scatter(-1, probs.argmax(dim=-1, keepdim=True), False)",
        says="You compare probabilities with min_p itself, and keep the most probable token whatever it has. "
        "Where the model is unsure that one alone is left. The threshold is min_p *times* the largest "
        "probability of the row.",
    ),
    AT_THE_THRESHOLD,
    Mistake(
        "maximum-of-the-whole-batch",
        find="probs.amax(dim=-1, keepdim=True)",
        replace="probs.amax()",
        says="You take the largest probability of the whole batch, which is right for a single row only. "
        "Each row has its own: the maximum along the last dimension, kept (keepdim=True) to broadcast.",
    ),
    Mistake(
        "maximum-of-the-whole-batch-with-one-kept",
        find="probs.amax(dim=-1, keepdim=True)",
        replace="probs.amax()",
        also=(
            (
                "    remove = probs < threshold",
                "    remove = (probs < threshold).scatter(-1, probs.argmax(dim=-1, keepdim=True), False)",
            ),
        ),
        says="You take the largest probability of the whole batch and keep the most probable token of each "
        "row whatever it has. Each row has a threshold of its own: the maximum along the last dimension, "
        "kept (keepdim=True) to broadcast.",
    ),
    Mistake(
        "compared-on-logits",
        find="    probs = torch.softmax(logits, dim=-1)\n    threshold",
        replace="    probs = logits\n    threshold",
        says="You compare logits with min_p times the largest logit. A fraction of a logit means nothing "
        "(they may be negative, and a constant added to all changes it): compare probabilities, or logits "
        "with the largest one *plus* log(min_p).",
    ),
    Mistake(
        "one-minus-min-p",
        find="threshold = min_p * probs",
        replace="threshold = (1 - min_p) * probs",
        says="Your threshold is 1 - min_p of the largest probability, so a small min_p removes nearly "
        "everything. It is min_p itself: 0 keeps all, 1 only the most probable token.",
    ),
    Mistake(
        "difference-instead-of-ratio",
        find="threshold = min_p * probs.amax(dim=-1, keepdim=True)",
        replace="threshold = probs.amax(dim=-1, keepdim=True) - min_p",
        says="You subtract min_p from the largest probability. It is a factor: what has less than min_p "
        "times the largest probability goes, however large that is.",
    ),
    Mistake(
        "computed-in-float32",
        find="    probs = torch.softmax(logits, dim=-1)\n    threshold",
        replace="    logits = logits.float()\n    probs = torch.softmax(logits, dim=-1)\n    threshold",
        says="You return float32 for float64 logits. The result has the dtype of the logits: what you cast "
        "to compare must not be what you return.",
    ),
    Mistake(
        "mass-of-the-nucleus",
        find=THRESHOLD,
        replace="""\
    ordered, order = probs.sort(dim=-1, descending=True)
    before = torch.zeros_like(probs).scatter(-1, order, ordered.cumsum(dim=-1) - ordered)""",
        also=(("remove = probs < threshold", "remove = (before >= min_p) & (min_p > 0)"),),
        says="You add up probabilities until they reach min_p: that is top-p. Min-p adds up nothing; it "
        "compares each token with the most probable one of its row.",
    ),
    sampling_mistakes.zeros_instead_of_infinity("logits.masked_fill(remove, -math.inf)"),
    *sampling_mistakes.large_negatives_instead_of_infinity("logits.masked_fill(remove, -math.inf)"),
    Mistake(
        "log-probabilities-of-the-kept-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.masked_fill(remove, -math.inf).log_softmax(dim=-1)",
        says="You return log-probabilities, normalized over what is left. That draws the same tokens, but "
        "kept logits do not change: the filter only puts -inf where a token goes.",
    ),
    Mistake(
        "log-probabilities-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return probs.log().masked_fill(remove, -math.inf)",
        says="You return log-probabilities. That draws the same tokens, but kept logits do not change: the "
        "filter only puts -inf where a token goes.",
    ),
    Mistake(
        "probabilities-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return probs.masked_fill(remove, -math.inf)",
        says="You return probabilities where logits are asked for: the softmax that follows takes them for "
        "logits and makes them nearly equal. Use the probabilities to compare only, and mask the logits.",
    ),
    Mistake(
        "filtered-before-temperature",
        find=f"filtered = {CALL}",
        replace="filtered = min_p_filter(logits, min_p) / temperature",
        says="You filter before you apply the temperature, so the kept tokens are those of temperature 1. "
        "Divide by the temperature first: it changes the ratio of two probabilities, and so what is kept.",
    ),
    sampling_mistakes.temperature_multiplied(CALL),
    Mistake(
        "temperature-ignored",
        find=f"    filtered = {CALL}",
        replace="    filtered = min_p_filter(logits, min_p)",
        says="Your draws are those of temperature 1 at every temperature. It is not used, or it acts after "
        "the softmax: dividing all probabilities by one number changes nothing once they are normalized. "
        "Divide the logits by it before the filter.",
    ),
    Mistake(
        "log-of-zero",
        find=THRESHOLD,
        replace="    least = probs.amax(dim=-1, keepdim=True).log() + math.log(min_p)",
        also=(("remove = probs < threshold", "remove = probs.log() < least"),),
        says="You take math.log of min_p, which fails at min_p = 0, where all tokens are to be kept. "
        "Compare probabilities, or treat 0 on its own.",
    ),
    Mistake(
        "zero-refused",
        find="if not 0 <= min_p <= 1:",
        replace="if not 0 < min_p <= 1:",
        says="You refuse min_p = 0, which is allowed: it keeps all tokens. Only what is outside [0, 1] "
        "raises.",
    ),
    Mistake(
        "min-p-unchecked",
        find="""\
    if not 0 <= min_p <= 1:
        raise ValueError(f"min_p must be in [0, 1], not {min_p}")
""",
        replace="",
        says="You accept a min_p outside [0, 1]: above 1 no token is left, below 0 it has no meaning. "
        "Raise a ValueError.",
    ),
    Mistake(
        "min-p-unchecked-at-temperature-zero",
        find=ZERO,
        replace="    if temperature == 0:\n        return logits.argmax(dim=-1)\n",
        says="At temperature 0 you return before anybody looks at min_p, so one outside [0, 1] is accepted "
        "there. It raises at every temperature: check it first.",
    ),
    Mistake(
        "logits-overwritten",
        find="logits.masked_fill(remove, -math.inf)",
        replace="logits.masked_fill_(remove, -math.inf)",
        says="You write -inf into the caller's logits. The argument must stay as it is: masked_fill, "
        "without the underscore, makes a new tensor.",
    ),
    Mistake(
        "given-logits-overwritten-by-the-filter",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    result = logits.clone() if logits.requires_grad else logits\n"
        "    result[remove] = -math.inf\n"
        "    return result",
        also=((ZERO, ZERO.replace("(logits, ", "(logits.clone(), ")),),
        says="min_p_filter writes into the logits that it was given (sample_min_p does not): whoever called "
        "it goes on with other numbers, -inf for example. Make a new tensor, or take a copy first.",
    ),
    Mistake(
        "gradient-cut",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.detach().masked_fill(remove, -math.inf)",
        says="No gradient reaches the logits: you detach them (or work under no_grad, or build the result "
        "from numbers). A kept logit is passed on as it is, so its gradient is 1.",
    ),
    TEMPERATURE_ZERO,
    sampling_mistakes.nothing_kept(TEMPERATURE_ZERO),
    replace(sampling_mistakes.TEMPERATURE_FLOORED, find=ZERO),
    sampling_mistakes.NEGATIVE_TEMPERATURE_ACCEPTED,
    sampling_mistakes.temperature_divided_in_place(CALL),
    sampling_mistakes.GENERATOR_IGNORED,
    sampling_mistakes.GENERATOR_IGNORED_FOR_A_SINGLE_ROW,
    sampling_mistakes.probabilities_over_rows(
        "torch.softmax(logits, dim=-1)", "torch.softmax(logits, dim=0)"
    ),
    sampling_mistakes.FIRST_ROW_FOR_ALL,
    sampling_mistakes.ONE_DRAW_FOR_ALL_ROWS,
    sampling_mistakes.ARGMAX_INSTEAD_OF_A_DRAW,
    sampling_mistakes.DRAWN_UNFILTERED,
    Mistake(
        "uniform-among-the-kept",
        find="    probs = torch.softmax(filtered, dim=-1)",
        replace="    probs = filtered.isfinite().to(logits.dtype)",
        says="You draw the kept tokens with equal chances. They keep their relative probabilities: draw "
        "from the softmax of the filtered logits.",
    ),
    sampling_mistakes.LEADING_DIMENSIONS_NOT_FLATTENED,
    sampling_mistakes.DRAWN_DIMENSION_LEFT,
    sampling_mistakes.TOKENS_LEFT_FLAT,
    sampling_mistakes.ONE_ROW_GIVES_A_VECTOR,
    Mistake(
        "gradient-of-a-removed-logit",
        find="    return logits.masked_fill(remove, -math.inf)\n",
        replace="    return logits + torch.zeros_like(logits).masked_fill(remove, -math.inf)\n",
        says="You add -inf to the logits that go, so their gradient is 1. It is 0 where they are replaced: "
        "masked_fill or where.",
    ),
    Mistake(
        "fraction-of-the-second",
        find="probs.amax(dim=-1, keepdim=True)",
        replace="probs.topk(2, dim=-1).values[..., 1:]",
        says="You take the fraction of the second most probable token. It is that of the most probable one.",
    ),
    Mistake(
        "fraction-of-the-mean",
        find="probs.amax(dim=-1, keepdim=True)",
        replace="probs.mean(dim=-1, keepdim=True)",
        says="You take the fraction of a row's mean probability. It is that of its most probable token.",
    ),
    Mistake(
        "one-refused",
        find="if not 0 <= min_p <= 1:",
        replace="if not 0 <= min_p < 1:",
        says="You refuse min_p = 1, which is allowed: it keeps the most probable token alone.",
    ),
    Mistake(
        "negative-min-p-accepted",
        find="if not 0 <= min_p <= 1:",
        replace="if min_p > 1:",
        says="You accept a min_p below 0, which has no meaning. Raise a ValueError there, too.",
    ),
    Mistake(
        "min-p-above-one-accepted",
        find="if not 0 <= min_p <= 1:",
        replace="if min_p < 0:",
        says="You accept a min_p above 1, with which no token is left. Raise a ValueError there, too.",
    ),
    Mistake(
        "gap-of-the-logits",
        find="    remove = probs < threshold",
        replace="    remove = logits < logits.amax(dim=-1, keepdim=True) - min_p",
        says="You keep the logits that are at most min_p below the largest one. The gap that belongs to a "
        "fraction of the probability is -log(min_p).",
    ),
    Mistake(
        "min-p-unchecked-by-the-filter",
        find="""\
    if not 0 <= min_p <= 1:
        raise ValueError(f"min_p must be in [0, 1], not {min_p}")
""",
        replace="",
        also=(
            (
                "    if temperature < 0:\n",
                "    if not 0 <= min_p <= 1:\n        raise ValueError\n    if temperature < 0:\n",
            ),
        ),
        says="sample_min_p looks at min_p, but min_p_filter called by itself accepts one outside [0, 1]. It "
        "raises there, too.",
    ),
]
