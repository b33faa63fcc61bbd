"""Known wrong versions of `min_p` that use the temperature or the generator otherwise."""

from grader.kit import Mistake
from grader.kit.families.sampling import mistakes as sampling_mistakes
from grader.kit.families.sampling import mistakes_in_draws

MISTAKES = [
    Mistake(
        "temperature-for-the-filter-only",
        find="    filtered = min_p_filter(logits / temperature, min_p)\n",
        replace="""\
    keep = min_p_filter(logits / temperature, min_p).isfinite()
    filtered = logits.masked_fill(~keep, -math.inf)
""",
        says="The temperature decides which tokens are kept, but you draw them by the logits without it. "
        "Draw from the softmax of the filtered logits / temperature.",
    ),
    Mistake(
        "temperature-twice",
        find="    filtered = min_p_filter(logits / temperature, min_p)\n",
        replace="    filtered = min_p_filter(logits / temperature, min_p) / temperature\n",
        says="You divide by the temperature before the filter, and the filtered logits once more. Once is "
        "enough.",
    ),
    Mistake(
        "temperature-zero-by-default",
        find="    temperature: float = 1.0,\n",
        replace="    temperature: float = 0.0,\n",
        says="Your default temperature is 0, so a call without one takes the most probable token. It is 1.",
    ),
    sampling_mistakes.LOW_TEMPERATURES_TAKEN_FOR_ZERO,
    sampling_mistakes.low_temperatures_raised("min_p_filter(logits / temperature, min_p)"),
    sampling_mistakes.SEED_SET,
    *sampling_mistakes.NEVER_MOVED_ON,
    Mistake(
        "two-always-kept",
        find="    remove = probs < threshold",
        replace="""\
    best = probs.topk(min(2, probs.shape[-1]), dim=-1).indices
    remove = (probs < threshold).scatter(-1, best, False)""",
        says="You always keep the two most probable tokens. The second goes, too, where it has less than "
        "min_p times the probability of the first.",
    ),
    sampling_mistakes.LEADING_ONES_SQUEEZED,
    sampling_mistakes.in_half_precision(
        "probs = torch.softmax(logits, dim=-1)", "probs = torch.softmax(logits, dim=-1).half()"
    ),
    sampling_mistakes.COARSE_DRAWS,
    *mistakes_in_draws.where_all_are_kept(
        "min_p == 0", "min_p_filter(logits / temperature, min_p)", "min_p = 0"
    ),
    Mistake(
        "small-min-p-keeps-all",
        find="    probs = torch.softmax(logits, dim=-1)\n    threshold",
        replace="    if min_p < 0.01:\n        return logits.clone()\n"
        "    probs = torch.softmax(logits, dim=-1)\n    threshold",
        says="You take a small min_p for 0, below 0.01 for example, and keep all tokens. Above 0 what has "
        "less than min_p times the largest probability goes.",
    ),
    *mistakes_in_draws.OTHER_NOISE,
    Mistake(
        "greedy-where-a-row-has-one-left",
        find="    probs = torch.softmax(filtered, dim=-1)\n    rows",
        replace="""\
    if bool((filtered.isfinite().sum(dim=-1) == 1).any()):
        return filtered.argmax(dim=-1)
    probs = torch.softmax(filtered, dim=-1)
    rows""",
        says="Where one row has a single token left, the other rows get their most probable token, too: a "
        "short cut asks for the smallest number of tokens kept in any row (or for the first row's). Every "
        "row is drawn from what is left in it.",
    ),
    *(
        Mistake(
            f"low-temperatures-raised-to-{name}",
            find="filtered = min_p_filter(logits / temperature, min_p)",
            replace=f"filtered = min_p_filter(logits / max(temperature, {least}), min_p)",
            says=f"You divide by no less than a bound, {bounds} for example, so a temperature below it draws "
            "as the bound does. Any temperature above 0 is divided by as it is.",
        )
        for name, least, bounds in (
            ("a-hundredth-or-so", "1e-3", "0.01 or 0.001"),
            ("1e-5", "1e-5", "1e-5"),
        )
    ),
    Mistake(
        "temperature-floored-at-a-millionth",
        find="""\
    if temperature == 0:
        return min_p_filter(logits, min_p).argmax(dim=-1)  # which no filter removes
""",
        replace="    temperature = max(temperature, 1e-6)\n",
        says=sampling_mistakes.TEMPERATURE_FLOORED.says,
    ),
    Mistake(
        "very-low-temperatures-taken-for-zero",
        find="    if temperature == 0:",
        replace="    if 0 <= temperature < 1e-5:",
        says="You take temperatures below a bound, 1e-5 for example, for 0. Only 0 means the most probable "
        "token: above it tokens are drawn.",
    ),
    *(
        Mistake(
            f"drawn-from-the-largest-{count}-only",
            find="    tokens = torch.multinomial(rows,",
            replace=f"""\
    count = min({count}, rows.shape[-1])
    rows = rows * (rows >= rows.topk(count, dim=-1).values[..., -1:])
    tokens = torch.multinomial(rows,""",
            says=f"You draw from so many of a row's largest logits, {many} for example, though more may pass "
            "the filter. All that are kept can be drawn, however many there are.",
        )
        for count, many in ((256, "256 or 1024"), (2048, "2048"))
    ),
]
