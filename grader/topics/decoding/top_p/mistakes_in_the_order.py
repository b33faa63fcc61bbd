"""Known wrong versions of `top_p` that sort, and get lost on the way back or at the end to begin with."""

from grader.kit import Mistake
from grader.kit.families.sampling import mistakes as sampling_mistakes
from grader.kit.families.sampling import mistakes_in_draws

RESULT = "    return logits.masked_fill(remove, -math.inf)"
WHOLE = "return logits.clone()"
REACHED = "    remove_sorted = before >= p"

MISTAKES = [
    *(
        Mistake(
            f"result-permuted-by-gather{ending}",
            find=RESULT,
            replace="    return sorted_logits.masked_fill(remove_sorted, -math.inf).gather(-1, order)",
            also=also,
            says="You gather the sorted logits with the sorting indices, which permutes them once more "
            "instead of bringing them back: index j of the result has the wrong token's logit. order[j] is "
            "the token at place j, so the value at place j goes to token order[j]: scatter, or gather with "
            "order.argsort(-1).",
        )
        for ending, also in (
            ("", ()),
            (
                "-for-every-p",
                ((WHOLE, "return (lambda row: row.values.gather(-1, row.indices))(logits.sort(-1, True))"),),
            ),
        )
    ),
    Mistake(
        "ascending-mask-not-scattered-back",
        find="    remove = torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)",
        replace="    remove = remove_sorted.flip(-1)",
        says="You sort ascending and apply the mask of the sorted row to the unsorted one, so that the first "
        "tokens of the vocabulary go, whatever their probability. Place j of the sorted row is token "
        "order[j]: scatter the mask back along the indices that sort gave you.",
    ),
    Mistake(
        "nucleus-of-one-minus-p",
        find=REACHED,
        replace="    remove_sorted = before >= 1 - p",
        says="What you keep reaches 1 - p, not p. For example, you sort ascending and remove tokens as "
        "long as their probabilities together are at most p: what goes may have at most 1 - p together, so "
        "that what stays has p.",
    ),
    Mistake(
        "nucleus-of-one-minus-p-for-every-p",
        find=REACHED,
        replace="    remove_sorted = before >= 1 - p",
        also=((WHOLE, "return logits.masked_fill(logits < logits.amax(-1, keepdim=True), -math.inf)"),),
        says="What you keep reaches 1 - p, not p, and with p = 1 that is the most probable token alone. For "
        "example, you sort ascending and remove tokens as long as their probabilities together are at most "
        "p: what goes may have at most 1 - p together, so that what stays has p.",
    ),
    sampling_mistakes.in_half_precision(
        "probs = torch.softmax(sorted_logits, dim=-1)", "probs = torch.softmax(sorted_logits, dim=-1).half()"
    ),
    sampling_mistakes.COARSE_DRAWS,
    *(
        Mistake(
            f"compared-with-the-largest{id}",
            find="    remove = torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)",
            replace="    probs = torch.softmax(logits, dim=-1)\n"
            f"    remove = probs < {share} * probs.amax(dim=-1, keepdim=True)",
            also=also,
            says="You compare each token's probability with a share of the largest one, as min-p does. p is "
            "what the kept tokens have together: take the most probable ones until their sum reaches it.",
        )
        for id, share, also in (
            ("", "p", ()),
            (
                "-for-every-p",
                "p",
                ((WHOLE, "return logits.masked_fill(logits < logits.amax(-1, keepdim=True), -math.inf)"),),
            ),
            ("-by-one-minus-p", "(1 - p)", ()),
        )
    ),
    *(
        Mistake(
            f"summed-up-over-dimension-one{id}{kept}",
            find="before = probs.cumsum(dim=-1) - probs",
            replace=f"before = probs.cumsum(dim={dim}) - probs",
            also=also,
            says="You add up over dimension 1, which is the vocabulary only where there is one leading "
            "dimension. There may be any number of them, also none: take the last, dim=-1.",
        )
        for id, dim in (("", "min(1, probs.dim() - 1)"), ("-of-a-single-row-too", "1"))
        for kept, also in (
            ("", ()),
            ("-one-kept", ((REACHED, f"{REACHED}\n    remove_sorted[..., 0] = False"),)),
        )
    ),
    *(
        Mistake(
            f"softmax-over-dimension-one{id}",
            find="probs = torch.softmax(sorted_logits, dim=-1)",
            replace=f"probs = torch.softmax(sorted_logits, dim={dim})",
            says="In the filter you take the softmax over dimension 1, which is the vocabulary only where "
            "there is one leading dimension. There may be any number of them, also none: take the last, "
            "dim=-1.",
        )
        for id, dim in (("", "min(1, logits.dim() - 1)"), ("-of-a-single-row-too", "1"))
    ),
    *(
        Mistake(
            f"as-many-in-every-row{id}",
            find=REACHED,
            replace="    gone = (before >= p).reshape(-1, before.shape[-1])\n"
            f"    remove_sorted = {gone}.expand_as(before)",
            says="You keep the same number of tokens in every row of a batch: " + which + ". Every row has a "
            "nucleus of its own size, so where it ends differs from row to row: compare each row's own sums "
            "with p.",
        )
        for id, gone, which in (
            ("", "gone.all(dim=0)", "that of the row that needs the most"),
            ("-the-fewest", "gone.any(dim=0)", "that of the row that needs the fewest"),
            ("-of-the-first", "gone[0]", "that of the first row"),
        )
    ),
    *mistakes_in_draws.where_all_are_kept("p == 1", "top_p_filter(logits / temperature, p)", "p = 1"),
    *(
        Mistake(
            f"p-above-{least}-keeps-all",
            find="    if p == 1:",
            replace=f"    if p > {least}:",
            says=f"You take a p just below 1 for 1, above {least} for example, and keep all tokens. Below 1 "
            "what comes behind the token that crosses p goes, however little that is.",
        )
        for least in ("0.99", "0.999")
    ),
    *mistakes_in_draws.OTHER_NOISE,
    Mistake(
        "nucleus-among-the-first-1024",
        find="    remove_sorted = before >= p\n",
        replace="    remove_sorted = before >= p\n    remove_sorted[..., 1024:] = True\n",
        says="Of some thousand tokens you do not keep the right ones, though of few you do. You look for the "
        "set among a fixed number of the most probable tokens (1024, say), for example, and a flat "
        "distribution needs more. Sort all of the row.",
    ),
    *(
        Mistake(
            f"smallest-probability-by-{rounds}-bisections",
            find="    remove_sorted = before >= p\n",
            replace=f"""\
    low, high = torch.zeros_like(probs[..., :1]), torch.ones_like(probs[..., :1])
    for _ in range({rounds}):
        middle = (low + high) / 2
        reaches = torch.where(probs >= middle, probs, 0.0).sum(dim=-1, keepdim=True) >= p
        low, high = torch.where(reaches, middle, low), torch.where(reaches, high, middle)
    remove_sorted = probs < low
""",
            says="You keep too many tokens where probabilities lie close together: you look for the smallest "
            "one that is kept in too few steps (bisections, for example) or too coarsely, and those between "
            "the last two candidates are kept all. Sort the row, and add up from the most probable one.",
        )
        for rounds in (16, 30)
    ),
]
