"""Known wrong versions of `kl_estimators` whose result has another shape than the arguments."""

from grader.kit import Mistake

DIFFERENCE = "difference = log_probs - reference_log_probs"
SHAPE = "The result has the shape of the arguments, whatever that is: a batch or a text may have the size 1."

MISTAKES = [
    *(
        Mistake(
            id,
            find=DIFFERENCE,
            replace=f"difference = (log_probs - reference_log_probs){squeezed}",
            says=f"Your estimates lose {what} ({by}, for example). {SHAPE}",
        )
        for id, squeezed, what, by in (
            ("squeezed", ".squeeze()", "every dimension of size 1", "squeeze() without a dimension"),
            (
                "first-dimension-squeezed",
                "[None].squeeze(1)[0]",
                "the first dimension where its size is 1",
                "squeeze(0)",
            ),
            (
                "last-dimension-squeezed",
                "[None].squeeze(-1)[0]",
                "the last dimension where its size is 1",
                "squeeze(-1)",
            ),
        )
    ),
    Mistake(
        "numbers-become-vectors",
        find=DIFFERENCE,
        replace="difference = log_probs - reference_log_probs\n"
        "    difference = difference if difference.dim() else difference[None]",
        says="For numbers without dimensions you give a vector of one (atleast_1d, or reshape(-1), for "
        f"example). {SHAPE}",
    ),
    Mistake(
        "flattened",
        find=DIFFERENCE,
        replace="difference = (log_probs - reference_log_probs).flatten()",
        says=f"You give all estimates in one row (flatten, or reshape(-1), for example). {SHAPE}",
    ),
]
