"""Known wrong versions of `yarn`: what they do at the limits of arguments."""

from grader.kit import Mistake

PLAIN = "    plain = linear_frequencies(head_dim, 1.0, base)\n"

MISTAKES = [
    Mistake(
        "absolute-logarithm",
        find="0.1 * math.log(max(factor, 1.0)) + 1.0",
        replace="0.1 * abs(math.log(factor)) + 1.0",
        says="You take the absolute value of ln(factor), so attention_factor is above 1 for a factor below "
        "1. There it is 1: max(factor, 1), or a case of its own.",
    ),
    Mistake(
        "plain-before-the-ramp-is-looked-at",
        find=PLAIN,
        replace=f"{PLAIN}    if factor == 1:\n        return plain\n",
        says="With a factor of 1 you give the plain frequencies before you look at the ramp. Another one "
        'than "index" and "rotations" raises whatever the factor is: check it first.',
    ),
    Mistake(
        "ramp-in-capitals-accepted",
        find=PLAIN,
        replace=f"{PLAIN}    ramp = ramp.lower()\n",
        says='You take the ramp\'s name in capitals too. Any other than "index" and "rotations" raises.',
    ),
]
