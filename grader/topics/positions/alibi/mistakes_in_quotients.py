"""Known wrong versions of `alibi` that divide whole numbers, and lose what is behind the point."""

from grader.kit import Mistake

OF_THE_POWER, BETWEEN = "2.0 ** (-8 / closest *", "2.0 ** (-4 / closest *"
CUT, CUT_BETWEEN = "2.0 ** (-(8 // closest) *", "2.0 ** (-(8 // (2 * closest)) *"
DOWN, DOWN_BETWEEN = "2.0 ** (-8 // closest *", "2.0 ** (-8 // (2 * closest) *"

MISTAKES = [
    Mistake(
        "quotient-cut-off",
        find=OF_THE_POWER,
        replace=CUT,
        says="You take 8 / n as a whole number (8 // n). With 16 heads or more that is 0, so the slopes of "
        "the power of two are all 1. The exponents are -8 i / n, with a quotient that may be a fraction.",
    ),
    Mistake(
        "all-quotients-cut-off",
        find=OF_THE_POWER,
        replace=CUT,
        also=((BETWEEN, CUT_BETWEEN),),
        says="You take 8 / n as a whole number (8 // n), also for the missing slopes. With n = 16 or more "
        "that is 0, and the slopes are all 1. The exponents are -8 i / n, with a quotient that may be a "
        "fraction.",
    ),
    Mistake(
        "missing-slopes-with-a-quotient-cut-off",
        find=BETWEEN,
        replace=CUT_BETWEEN,
        says="For the missing slopes you take 8 / (2 n) as a whole number. Behind 8 slopes or more that is "
        "0, and they are all 1. The exponents are -8 i / (2 n), with a quotient that may be a fraction.",
    ),
    Mistake(
        "quotient-rounded-down",
        find=OF_THE_POWER,
        replace=DOWN,
        says="You round -8 / n down (-8 // n). With 16 heads or more that is -1, so the slopes of the power "
        "of two are 1/2, 1/4, 1/8, … The exponents are -8 i / n, with a quotient that may be a fraction.",
    ),
    Mistake(
        "all-quotients-rounded-down",
        find=OF_THE_POWER,
        replace=DOWN,
        also=((BETWEEN, DOWN_BETWEEN),),
        says="You round -8 / n down (-8 // n), also for the missing slopes. With n = 16 or more that is -1, "
        "and each slope is half the one before. The exponents are -8 i / n, with a quotient that may be a "
        "fraction.",
    ),
]
