"""Known wrong versions of `attention_analysis` that look for the diagonal by steps through memory."""

from grader.kit import Mistake

SHARE = "weights.diagonal(dim1=-2, dim2=-1).mean(dim=0)"
STEPS = "[:, :: weights.shape[-1] + 1].mean(dim=0)"
RIGHT = (
    "Steps of seq + 1 meet the diagonal where each head's rows lie one after the other: "
    "weights.flatten(1)[:, :: seq + 1]. Tensor.diagonal needs no steps."
)

MISTAKES = [
    *(
        Mistake(
            f"diagonal-where-{first}-come-first-and-{last}-last",
            find=SHARE,
            replace=f"weights.permute({order}).reshape(len(weights), -1){STEPS}",
            says=f"You mix heads, queries and keys: you lay the weights out with {first} first and {last} "
            f"last, for example, and cut that into as many pieces as there are heads. {RIGHT}",
        )
        for order, first, last in (
            ("2, 1, 0", "keys", "heads"),
            ("2, 0, 1", "keys", "queries"),
            ("1, 2, 0", "queries", "heads"),
            ("1, 0, 2", "queries", "keys"),
        )
    ),
    Mistake(
        "steps-of-seq",
        find=SHARE,
        replace="weights.flatten(1)[:, :: weights.shape[-1]].mean(dim=0)",
        says="You give every query's weight for the first token, a column: in memory seq steps lead to the "
        f"next query, for example, and only one more to the next key. {RIGHT}",
    ),
]
