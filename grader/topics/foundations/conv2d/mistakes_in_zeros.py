"""Known wrong versions of `conv2d` that leave out what is multiplied by zeros, and its gradient with it."""

from grader.kit import Mistake

_WEIGHT = "    grouped_weight = weight.unflatten("

MISTAKES = [
    Mistake(
        f"{what}-of-zeros-skipped",
        find=_WEIGHT,
        replace=f"    weight = weight * (weight != 0).any(dim={dims}, keepdim=True)\n{_WEIGHT}",
        says=f"You skip {words}. The result is right, but these weights get no gradient, so they stay at 0 "
        "for good: a weight's gradient is made of x, not of the weight.",
    )
    for what, dims, words in (
        ("places", "(0, 1)", "places of the kernel at which all weights are 0"),
        ("output-channels", "(1, 2, 3)", "output channels whose weights are all 0"),
        ("input-channels", "(0, 2, 3)", "input channels whose weights are all 0"),
    )
]
