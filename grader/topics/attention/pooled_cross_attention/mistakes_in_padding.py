"""Known wrong versions of `pooled_cross_attention`: padding and biases, what hides it, dropout."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
from grader.kit.families.attention.mistakes import score_mistakes, unmasked_mistakes

KEY = "self.k_proj(pooled)"
VALUE = "self.v_proj(pooled)"
FILLED_UP = "        # What fills up the last window is no more real than padding: one rule for both.\n"
POOLED = "        pooled = total / count.clamp(min=1).unsqueeze(-1)\n"
TOKENS = "F.pad(torch.ones_like(padding_mask), (0, rest)).unflatten(1, (-1, self.stride)).sum(dim=2)"


def _with_more_biases(tokens: str) -> tuple[tuple[str, str], ...]:
    """The means of what the projections give for so many `tokens` of a window, of which some are zeros."""
    line = (
        f"        surplus = ({tokens} - count).unsqueeze(-1).to(x.dtype) / count.clamp(min=1).unsqueeze(-1)\n"
    )
    return (
        (POOLED, POOLED + line),
        (KEY, f"({KEY} + surplus * self.k_proj.bias)"),
        (VALUE, f"({VALUE} + surplus * self.v_proj.bias)"),
    )


MISTAKES = [
    *(
        Mistake(name, find=first[0], replace=first[1], also=tuple(others), says=says)
        for name, (first, *others), says in [
            (
                "padding-adds-its-bias",
                _with_more_biases(TOKENS),
                "In a window with padding the biases of k_proj and v_proj count too often: a padded token "
                "that is zeroed before the projections comes out as the bias, for example, and is summed "
                "with the others. Zero it after them, or project the means.",
            ),
            (
                "filling-adds-its-bias",
                _with_more_biases("self.stride"),
                "In a window that is shorter or has padding the biases of k_proj and v_proj count too often: "
                "zeros that fill it up before the projections come out as the bias, for example, and are "
                "summed with the others. Fill up after them, or project the means.",
            ),
        ]
    ),
    Mistake(
        "context-cut-off-as-if-padding-were-last",
        find=FILLED_UP,
        replace=f"""\
        src = int(padding_mask.sum(dim=1).max())
        context, padding_mask = context[:, :src], padding_mask[:, :src]
{FILLED_UP}""",
        says="You cut context off behind the largest number of real tokens that a row has, which leaves "
        "real tokens out where padding stands before them. They may be anywhere: what can be cut off is "
        "behind the last real token of all rows.",
    ),
    Mistake(
        "tokens-counted-as-if-padding-were-last",
        find=FILLED_UP,
        replace=f"""\
        padding_mask = torch.arange(src, device=x.device) < padding_mask.sum(dim=1, keepdim=True)
{FILLED_UP}""",
        says="You count the real tokens of a row and take the first ones, as many, as if padding stood at "
        "the end only. They may be anywhere: padding_mask says of each token whether it is real.",
    ),
    Mistake(
        "windows-counted-as-if-padding-were-last",
        find="mask = (count > 0)",
        replace="""\
used = (padding_mask.sum(dim=1, keepdim=True) + self.stride - 1) // self.stride
        mask = (torch.arange(count.shape[1], device=count.device) < used)""",
        says="You work out from the number of real tokens how many windows count, and take the first ones, "
        "as if padding stood at the end only. Real tokens may be anywhere: a window counts if it has one, "
        "count > 0.",
    ),
    Mistake(
        "padding-forgotten-at-stride-1",
        find="        if padding_mask is None:\n",
        replace="        if padding_mask is None or self.stride == 1:\n",
        says="With stride = 1 you take no notice of padding_mask: context comes back as it is, and "
        "which tokens are real is forgotten. Padded tokens get no weight, also where no mean is taken.",
    ),
    Mistake(
        "mask-overwritten-where-windows-are-whole",
        find="        count = real.sum(dim=2)  # (batch, windows)\n",
        replace="""\
        count = real.sum(dim=2)  # (batch, windows)
        if rest == 0:
            padding_mask.unflatten(1, (-1, self.stride))[:, :, 0] |= count == 0
""",
        says="Where stride divides src you write to padding_mask: nothing is filled up then, and what you "
        "cut into windows is the caller's own tensor (reshape and unflatten copy nothing). Make a new one.",
    ),
    Mistake(
        "hidden-scores-not-low-enough",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores + ~mask * -100.0",
        says="The scores of your windows without real tokens stay in reach of the others: you fill them with "
        "-100 or -1000, for example, or add that to them, where scores differ by thousands. Such a window "
        "can then still win. Fill with -inf, or with torch.finfo(scores.dtype).min, whatever the score was.",
    ),
    dropout_mistakes.in_scores("        scores = scores.masked_fill(~mask, -math.inf)\n"),
    dropout_mistakes.RENORMALISED,
    dropout_mistakes.RENORMALISED_TO_NAN,
    unmasked_mistakes.max_not_subtracted(condition="mask.all()", without="padding"),
    score_mistakes.SCORE_OF_ZERO_ADDED,
]
