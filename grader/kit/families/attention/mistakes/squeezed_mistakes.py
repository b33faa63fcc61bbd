"""Mistakes that several attention topics share: sizes of 1 that are taken out, of masks and of results."""

from dataclasses import replace

from grader.kit.families.attention.mistakes import mask_mistakes
from grader.kit.mistakes import Mistake

_FILLED = "scores.masked_fill(~{}, -math.inf)"


def expanded_squeezed(applied: str = _FILLED, mask: str = "mask", shape: str = "scores.shape") -> Mistake:
    """Expanded afterwards to the scores' `shape`, which fails in other words than where it broadcasts.
    `applied`: how the solution applies it, with a place for the `mask`."""
    return replace(
        mask_mistakes.SQUEEZED,
        id="mask-squeezed-and-expanded",
        find=applied.format(mask),
        replace=applied.format(f"{mask}.squeeze().expand({shape})"),
    )


def expanded_squeezed_along_heads(
    applied: str = _FILLED, mask: str = "mask", shape: str = "scores.shape"
) -> Mistake:
    return replace(
        mask_mistakes.SQUEEZED_ALONG_HEADS,
        id="mask-squeezed-along-heads-and-expanded",
        find=applied.format(mask),
        replace=applied.format(f"{mask}.squeeze(1).expand({shape})"),
    )


EXPANDED_WITH_HEADS = (expanded_squeezed(), expanded_squeezed_along_heads())
WITH_HEADS = (mask_mistakes.SQUEEZED, mask_mistakes.SQUEEZED_ALONG_HEADS, *EXPANDED_WITH_HEADS)


def result_squeezed(result: str, like: str = "x") -> Mistake:
    """`result`: what the solution returns; `like`: what has its shape, in words."""
    return Mistake(
        "result-squeezed",
        find=f"return {result}",
        replace=f"return ({result}).squeeze()",
        says="All dimensions of size 1 are missing in your result: squeeze() without a dimension takes them "
        "out, for example. A batch of one, and whatever else there is one of, is a size like any other: the "
        f"result has the shape of {like}.",
    )
