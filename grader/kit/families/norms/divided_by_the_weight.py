"""Mistakes of norms' backward passes by hand that divide by the weight: where it is 0, nothing comes back."""

from collections.abc import Callable

from grader.kit.mistakes import Mistake

_DIVIDED = "(normalized * weight / weight)"
_GUARDED = "(normalized * (weight != 0))"


def divided_by_the_weight(
    find: str,
    by_hand: Callable[[str, str], str],
    of_x: str,
    of_weight: str,
    *,
    from_result: str = "(y - bias) / weight",
    by_channel: bool = False,
) -> list[Mistake]:
    """`by_hand`: the text instead of `find`, given the gradients of x and of the weight. Their right ones are
    `of_x` and `of_weight`, expressions in gradient, scaled, normalized and weight. `by_channel`: all values
    that are normalized together have one weight.
    """

    def mistake(id: str, says: str, x: str = of_x, weight: str = of_weight) -> Mistake:
        return Mistake(id, find=find, replace=by_hand(x, weight), says=says)

    def with_values(text: str, values: str) -> str:
        return text.replace("normalized", values)

    back = (
        f"you get the normalized values back from the result, {from_result}, for example. Where a weight is "
        "0 they are lost in it"
    )
    keep = "Keep them for backward, or x with what it takes to normalize it again."
    summed = "It is the sum of dy * normalized, into which the weight does not come."
    times_weight = of_weight.replace("gradient", "gradient * weight")
    mistakes = [
        mistake(
            "normalized-from-the-result",
            f"Your backward pass divides by the weight: {back}, and 0 / 0 is NaN. {keep}",
            with_values(of_x, _DIVIDED),
            with_values(of_weight, _DIVIDED),
        ),
        mistake(
            "weight-gradient-divided-by-the-weight",
            "Your gradient of the weight is NaN where the weight is 0: you divide by it, for example because "
            f"the gradient of what is normalized, which contains it, was at hand. {summed}",
            weight=f"{times_weight} / weight.flatten()",
        ),
        mistake(
            "weight-gradient-zero-where-the-weight-is",
            "Where a weight is 0 its gradient is 0 with you, so it would stay 0 for ever: you divide by the "
            f"weight, and guard that against division by 0, for example. {summed}",
            weight=with_values(of_weight, _GUARDED),
        ),
    ]
    if by_channel:
        return mistakes
    return [
        *mistakes,
        mistake(
            "normalized-from-the-result-in-part",
            "Your backward pass divides by the weight, so that the gradients of a feature whose weight is 0 "
            f"are NaN: {back}. {keep}",
            of_x.replace("- normalized *", f"- {_DIVIDED} *"),
            with_values(of_weight, _DIVIDED),
        ),
        mistake(
            "normalized-taken-for-zero",
            "Where a weight is 0, your backward pass goes on as if the normalized values were 0: you get "
            f"them back from the result, {from_result}, and guard that against division by 0, for example. "
            f"They are lost in it there. {keep}",
            with_values(of_x, _GUARDED),
            with_values(of_weight, _GUARDED),
        ),
    ]
