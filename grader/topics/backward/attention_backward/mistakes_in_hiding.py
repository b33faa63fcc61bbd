"""Known wrong versions of `attention_backward` that cut weights at 1, or hide later keys by a number which is
not low enough.
"""

from grader.kit import Mistake

_MASK = "scores = scores.masked_fill(later, -math.inf)"
_WEIGHTS = "weights = torch.exp(scores - logsumexp[:, :, rows])"
_CUT = _WEIGHTS.replace("(scores - logsumexp[:, :, rows])", "((scores - logsumexp[:, :, rows]).clamp(max=0))")

MISTAKES = [
    # First: the others of this file that cut weights, too, fail in one more check.
    Mistake(
        "weights-cut-at-one",
        find=_WEIGHTS,
        replace=_CUT,
        says="In flash_attention_backward you let no weight be above 1 (exponents are cut at 0, for "
        "example). logsumexp is used as it is given, also where it is another one than forward's: a weight "
        "is exp(scores - logsumexp).",
    ),
    *(
        Mistake(
            f"later-keys-{id}-{number}{ending}",
            find=_MASK,
            replace=hidden.format(number),
            also=also,
            says=f"In flash_attention_backward you hide later keys by {what}: with scores of ±1e3 such a "
            "score may be above the logsumexp still, and the key gets weight. Fill the scores with -inf.",
        )
        for id, hidden, what in (
            ("lowered-by", "scores = scores - {}.0 * later", "taking a number off their scores"),
            (
                "filled-with",
                "scores = scores.masked_fill(later, -{}.0)",
                "a score that is low, but not enough",
            ),
        )
        for number in (100, 1000)
        for ending, also in (("", ()), ("-and-weights-cut-at-one", ((_WEIGHTS, _CUT),)))
        if not (also and id == "filled-with" and number == 1000)  # which comes to the same as with 100
    ),
]
