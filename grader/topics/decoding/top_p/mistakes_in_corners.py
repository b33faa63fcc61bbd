"""Known wrong versions of `top_p` for a tiny p, a tiny lead, and where nothing is to be filtered."""

from grader.kit import Mistake

CALL = "    filtered = top_p_filter(logits / temperature, p)"

MISTAKES = [
    *(
        Mistake(
            f"p-one-drops-the-tail-in-float64{ending}",
            find="""\
    if p == 1:
        return logits.clone()  # the rounded sum may reach 1 before the last token
""",
            replace="",
            also=(("torch.softmax(sorted_logits, dim=-1)", probs),),
            says="With p = 1 you lose very improbable tokens: in float64, too, the rounded cumulative sum "
            "reaches 1 before them. p = 1 keeps all, so return the logits unfiltered.",
        )
        for ending, probs in (  # which differ in rounding, and so in where the sum reaches 1
            ("", "torch.softmax(sorted_logits.double(), dim=-1)"),
            ("-of-sorted-probabilities", "torch.softmax(logits.double(), dim=-1).gather(-1, order)"),
        )
    ),
    Mistake(
        "nothing-kept-for-a-tiny-p",
        find="    remove = torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)",
        replace="""\
    remove = torch.empty_like(remove_sorted).scatter(-1, order, remove_sorted)
    remove = remove | (1 - p == 1)""",
        says="For a tiny p you remove all tokens of a row. You add up from the least probable token, for "
        "example, and remove while the sum is at most 1 - p: that is rounded to 1, as is the sum of all. "
        "Never fewer than one token is kept: except the most probable one from what is removed.",
    ),
    Mistake(
        "argmax-of-rounded-probabilities",
        find="return logits.argmax(dim=-1)",
        replace="return torch.softmax(logits, dim=-1).argmax(dim=-1)",
        says="At temperature 0 you take the argmax of probabilities. The softmax rounds a small lead away: "
        "with logits of 0 and 1e-20 both probabilities are the same. Take the argmax of the logits.",
    ),
    Mistake(
        "logits-overwritten-where-nothing-is-filtered",
        find=CALL,
        replace=f"    logits = logits.sub_(logits.amax()) if p == temperature == 1 else logits\n{CALL}",
        says="With temperature = 1 and p = 1 you write to the caller's logits. There is nothing to divide or "
        "to filter, so you go on with the argument itself, for example, and then work in place.",
    ),
]
