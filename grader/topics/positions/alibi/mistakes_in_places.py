"""Known wrong versions of `alibi` whose distances end before the texts do, or begin behind them."""

from grader.kit import Mistake

_ABS = "(torch.arange(kv_len) - query_positions[:, None]).abs()"

MISTAKES = [
    Mistake(
        "distances-cut-at-the-number-of-keys",
        find=_ABS,
        replace=f"{_ABS}.clamp(max=kv_len - 1)",
        says="Your distances end at kv_len - 1 (a table of kv_len entries, for example, to whose last one "
        "they are clamped). With more queries than keys the first ones are further away than that.",
    ),
    Mistake(
        "distances-cut-at-the-number-of-queries",
        find=_ABS,
        replace=f"{_ABS}.clamp(max=q_len - 1)",
        says="Your distances end at q_len - 1 (a table of q_len entries, for example, to whose last one they "
        "are clamped). Behind a cache there are fewer queries than keys, and most keys are further away.",
    ),
    Mistake(
        "no-query-at-a-negative-place",
        find="torch.arange(q_len) + kv_len - q_len",
        replace="(torch.arange(q_len) + kv_len - q_len).clamp(min=0)",
        says="With more queries than keys you put the first ones at place 0. The last query is at the place "
        "of the last key, and each one before it a place earlier: the first are at negative places.",
    ),
]
