"""Known wrong versions of `min_p`: logits compared with the largest one, and logits written to."""

from grader.kit import Mistake

PROBABILITIES = """\
    probs = torch.softmax(logits, dim=-1)
    threshold = min_p * probs.amax(dim=-1, keepdim=True)  # (..., 1)
    remove = probs < threshold"""
LARGEST = "probs.amax(dim=-1, keepdim=True)"
WITHOUT_ITS_DIMENSION = (
    "Your largest values have lost the last dimension, so they are laid along the vocabulary: that raises, "
    "or gives rows the thresholds of others. Keep it (keepdim=True): (..., 1) broadcasts over each row."
)
OVER_THE_ROWS = (
    "You take the largest values along the first dimension, which is right without leading dimensions only. "
    "Each row has its own: the maximum along the last dimension, kept (keepdim=True) to broadcast."
)
MOST_PROBABLE = "min_p_filter(logits, min_p).argmax(dim=-1)"
AT_ZERO = (MOST_PROBABLE, f"logits.argmax(dim=-1) if 0 <= min_p <= 1 else {MOST_PROBABLE}")


def compared(id_: str, *, removed: str, says: str) -> Mistake:
    """The logits that are `removed`, where min_p is not 0."""
    return Mistake(
        id_,
        find=PROBABILITIES,
        replace=f"    remove = torch.zeros_like(logits, dtype=torch.bool) if min_p == 0 else {removed}",
        says=says,
        also=(AT_ZERO,),
    )


MISTAKES = [
    compared(
        "kept-below-the-threshold",
        removed="logits > logits.amax(dim=-1, keepdim=True) + math.log(min_p)",
        says="You remove the tokens above the threshold and keep those below it. The probable ones are to "
        "stay: -inf goes where a probability is less than min_p times the largest one.",
    ),
    compared(
        "largest-logit-of-the-whole-batch",
        removed="logits < logits.amax() + math.log(min_p)",
        says="You compare with the largest logit of the whole batch, which is right for a single row only. "
        "Each row has its own: the maximum along the last dimension, kept (keepdim=True) to broadcast.",
    ),
    Mistake(
        "maximum-over-the-rows",
        find=LARGEST,
        replace="probs.amax(dim=0)",
        says=OVER_THE_ROWS,
    ),
    *(
        compared(
            f"largest-over-the-rows-of-{name}",
            removed=f"{values} < {values}.amax(dim=0) + math.log(min_p)",
            says=OVER_THE_ROWS,
        )
        for name, values in (("logits", "logits"), ("log-probabilities", "logits.log_softmax(dim=-1)"))
    ),
    Mistake(
        "maximum-of-the-first-row",
        find=LARGEST,
        replace="probs.reshape(-1, probs.shape[-1])[0].amax()",
        says="You take the threshold of the first row for all rows. Each row has its own: the maximum along "
        "the last dimension, kept (keepdim=True) to broadcast.",
    ),
    Mistake(
        "maximum-without-its-dimension",
        find=LARGEST,
        replace="probs.amax(dim=-1)",
        says=WITHOUT_ITS_DIMENSION,
    ),
    compared(
        "largest-logit-without-its-dimension",
        removed="logits < logits.amax(dim=-1) + math.log(min_p)",
        says=WITHOUT_ITS_DIMENSION,
    ),
    compared(
        "fraction-of-the-largest-logit",
        removed="logits < logits.amax(dim=-1, keepdim=True) * min_p",
        says="You compare logits with min_p times the largest logit. A fraction of a logit means nothing "
        "(they may be negative, and a constant added to all changes it): compare probabilities, or logits "
        "with the largest one *plus* log(min_p).",
    ),
    compared(
        "fraction-of-the-largest-logit-whatever-its-sign",
        removed="logits < (top := logits.amax(-1, keepdim=True)) * torch.where(top > 0, min_p, 1 / min_p)",
        says="You compare logits with min_p times the largest logit, or divide it by min_p where it is "
        "negative. A fraction of a logit means nothing, whatever its sign (a constant added to all changes "
        "it): compare probabilities, or logits with the largest one *plus* log(min_p).",
    ),
    Mistake(
        "logits-overwritten-by-the-filter",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.masked_fill_(remove, -math.inf)",
        also=((MOST_PROBABLE, MOST_PROBABLE.replace("(logits, ", "(logits.clone(), ")),),
        says="min_p_filter writes -inf into the logits that it was given, or into a view of them, as reshape "
        "and view give it: they are changed, and a leaf that requires a gradient raises. (sample_min_p is "
        "right.) Make a new tensor, by masked_fill or where, or take a copy first.",
    ),
    Mistake(
        "log-softmax-returned",
        find="    return logits.masked_fill(remove, -math.inf)",
        replace="    return logits.log_softmax(dim=-1).masked_fill(remove, -math.inf)",
        says="You return the row's log_softmax. That draws the same tokens, but kept logits do not change: "
        "the filter only puts -inf where a token goes.",
    ),
    Mistake(
        "least-threshold-at-zero",
        find="threshold = min_p * probs.amax(dim=-1, keepdim=True)",
        replace="threshold = max(min_p, 1e-9) * probs.amax(dim=-1, keepdim=True)",
        says="At min_p = 0 you remove tokens whose probability is 0 or nearly: you compare with a small "
        "number instead, for example, so that it has a logarithm, or by <=. min_p = 0 keeps every token.",
    ),
    *(
        Mistake(
            f"{name}-over-dimension-one{id}",
            find=find,
            replace=find.replace("dim=-1", f"dim={dim}"),
            says=f"In the filter you take {what} over dimension 1, which is the vocabulary only where there "
            "is one leading dimension. There may be any number of them, also none: take the last, dim=-1.",
        )
        for name, find, what in (
            ("softmax", "torch.softmax(logits, dim=-1)", "the softmax"),
            ("maximum", "probs.amax(dim=-1, keepdim=True)", "the largest probability"),
        )
        for id, dim in (("", "min(1, logits.dim() - 1)"), ("-of-a-single-row-too", "1"))
    ),
]
