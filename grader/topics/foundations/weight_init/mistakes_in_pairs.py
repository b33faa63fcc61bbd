"""Known wrong versions of `weight_init` that make normal numbers in pairs."""

from grader.kit import Mistake

_KAIMING = "    return weight.normal_(0.0, std)\n"
_BERT = "        module.weight.normal_(0.0, std)\n"

MISTAKES = [
    Mistake(
        "last-of-an-odd-number-left-at-zero",
        find=_KAIMING,
        replace="""\
    weight.normal_(0.0, std)
    if weight.numel() % 2:
        weight[-1, -1] = 0.0
    return weight
""",
        also=(
            (
                _BERT,
                f"{_BERT}        if module.weight.numel() % 2:\n            module.weight[-1, -1] = 0.0\n",
            ),
        ),
        says="With an odd number of elements your last one is 0 and not drawn: normal numbers are made in "
        "pairs (by Box and Muller's formula, for example), and the one that is left over gets none. Make one "
        "pair more and leave out its second number.",
    ),
]
