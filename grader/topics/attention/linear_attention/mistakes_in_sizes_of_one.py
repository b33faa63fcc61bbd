"""Known wrong versions of `linear_attention` that lose dimensions of size 1."""

from grader.kit import Mistake

RESULT = "    return numerator / (denominator + eps)"
NUMERATOR = "        numerator = (query.unsqueeze(-2) @ state).squeeze(-2)"

MISTAKES = [
    Mistake(
        "result-squeezed",
        find=RESULT,
        replace="    return (numerator / (denominator + eps)).squeeze()",
        says="All dimensions of size 1 are missing in your result: squeeze() without a dimension takes them "
        "out, for example. A single token, a single feature and leading dimensions of 1 stay.",
    ),
    Mistake(
        "result-squeezed-when-causal",
        find=RESULT,
        replace="    result = numerator / (denominator + eps)\n"
        "    return result.squeeze() if is_causal else result",
        says="With is_causal all dimensions of size 1 are missing in your result: squeeze() without a "
        "dimension takes them out, for example. A single token, a single feature and leading dimensions of 1 "
        "stay.",
    ),
    Mistake(
        "numerator-squeezed-when-causal",
        find=NUMERATOR,
        replace="        numerator = (query.unsqueeze(-2) @ state).squeeze()",
        says="With is_causal you take all dimensions of size 1 off the numerator, and not the one alone that "
        "you put in for the product: squeeze(-2) instead of squeeze(). A single token, a single feature and "
        "leading dimensions of 1 stay.",
    ),
]
