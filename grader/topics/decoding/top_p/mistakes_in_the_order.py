"""Known wrong versions of `top_p` that sort, and get lost on the way back or at the end to begin with."""

from grader.kit import Mistake

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
]
