"""Known wrong versions of `top_k`: a k of the vocabulary's size or more, and draws by other noise."""

from grader.kit import Mistake
from grader.kit.families.sampling import mistakes_in_draws

LIMIT = "    k = min(k, logits.shape[-1])  # topk fails for more than there are"
SORTED = "logits.sort(dim=-1, descending=True).values"

MISTAKES = [
    *(
        Mistake(
            f"smallest-dropped-{where}",
            find=LIMIT,
            replace=f"    k = min(k, {least})",
            says="Where k is the size of the vocabulary or more you drop the smallest logit: you keep what "
            "is above the (k + 1)-th largest, for example, and take the last one for it where there is none. "
            f"Then all logits are kept{also}. Limit k to the size of the vocabulary, and keep the k largest.",
        )
        for where, least, also in (
            ("where-all-are-kept", "max(logits.shape[-1] - 1, 1)", ""),
            (
                "of-any-vocabulary",
                "logits.shape[-1] - 1",
                ", and so is the one token of a vocabulary of one",
            ),
        )
    ),
    *(
        Mistake(
            f"{look_up}-of-a-sorted-row",
            find=LIMIT,
            replace=f"    {code}\n{LIMIT}",
            says=f"You look at place {place} of the sorted logits, which there is not where k is {where} the "
            "vocabulary. Then all logits are kept: look there only if k is smaller.",
        )
        for look_up, code, place, where in (
            ("place-k", f"{SORTED}[..., k]", "k", "at least the size of"),
            ("place-k-less-one", f"{SORTED}[..., k - 1]", "k - 1", "larger than"),
            (
                "slice-from-k",
                f"""\
first_dropped = {SORTED}[..., k : k + 1]
    if first_dropped.shape[-1] == 0:
        return logits.masked_fill(logits <= first_dropped, -math.inf)""",
                "k",
                "at least the size of",
            ),
            (
                "slice-from-k-less-one",
                f"""\
last_kept = {SORTED}[..., k - 1 : k]
    if last_kept.shape[-1] == 0:
        return logits.masked_fill(logits < last_kept, -math.inf)""",
                "k - 1",
                "larger than",
            ),
        )
    ),
    *mistakes_in_draws.where_all_are_kept(
        "k >= logits.shape[-1]",
        "top_k_filter(logits / temperature, k)",
        "k of the vocabulary's size or more",
    ),
    *mistakes_in_draws.where_all_are_kept(
        "k > logits.shape[-1]",
        "top_k_filter(logits / temperature, k)",
        "k above the vocabulary's size",
        "-and-more",
    ),
    *mistakes_in_draws.OTHER_NOISE,
    *(
        Mistake(
            f"logits-overwritten-{where}",
            find="    filtered = top_k_filter(logits / temperature, k)",
            replace=f"""\
    scaled = logits{dtype} if temperature == 1 else logits / temperature
    filtered = {filtered}
    filtered -= filtered.amax(dim=-1, keepdim=True)""",
            says=f"{did} you write into the caller's logits: where there is nothing to divide, filter or "
            "convert you go on with the argument itself, and then change it in place. The argument must stay "
            "as it is: make a new tensor, without -= and the underscore.",
        )
        for where, dtype, filtered, did in (
            (
                "where-nothing-is-to-do",
                "",
                "scaled if k >= logits.shape[-1] else top_k_filter(scaled, k)",
                "At temperature 1, with a k of the vocabulary's size,",
            ),
            (
                "where-nothing-is-to-do-in-float64",
                ".double()",
                "scaled if k >= logits.shape[-1] else top_k_filter(scaled, k)",
                "In float64, at temperature 1 and with a k of the vocabulary's size,",
            ),
        )
    ),
]
