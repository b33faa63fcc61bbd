"""Known wrong versions of `beam_search`: when it ends, and what is given then."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "one-step-too-few",
        find="range(max_len - 1)",
        replace="range(max_len - 2)",
        says="You stop a token early. A hypothesis may have max_len tokens: bos and max_len - 1 more.",
    ),
    Mistake(
        "penalty-of-wu",
        find="(len(tokens) - 1) ** length_penalty",
        replace="((5 + len(tokens) - 1) / 6) ** length_penalty",
        says="You divide by ((5 + length) / 6)**length_penalty, as Wu et al. do. Here it is "
        "length**length_penalty.",
    ),
    Mistake(
        "best-one-only",
        find="    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)",
        replace="    return sorted(scored, key=lambda hypothesis: hypothesis[1], reverse=True)[:1]",
        says="You return the best hypothesis alone. All that are kept are asked for, at most beam_width.",
    ),
]
