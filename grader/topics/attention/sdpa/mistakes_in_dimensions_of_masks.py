"""Known wrong versions of `sdpa` that give a mask dimensions by their number."""

from grader.kit import Mistake

FILL = "scores.masked_fill(~mask, -math.inf)"
FIRST = "    query = query * scale\n"
BROADCASTS = (
    "A mask broadcasts as it is: its dimensions are matched with those of the scores from the last one on."
)


def given(name: str, dims: str, becomes: str, says: str, *, also: str = "not is_causal") -> Mistake:
    """A mask of so many dimensions gets others. `is_causal` makes its own."""
    return Mistake(
        name,
        find=FIRST,
        replace=f"""\
    if mask is not None and {also} and mask.dim() {dims}:
        mask = {becomes}
{FIRST}""",
        says=f"{says} {BROADCASTS}",
    )


OF_THREE = (
    "You take a mask of three dimensions for (batch, q_len, kv_len) and give it one for the heads, second. "
    "Its first may as well be the heads'."
)
MISTAKES = [
    given("mask-of-three-dimensions-with-heads", "== 3", "mask.unsqueeze(1)", OF_THREE),
    given(
        "mask-of-three-dimensions-with-heads-for-four",
        "== 3",
        "mask.unsqueeze(1)",
        OF_THREE,
        also="query.dim() == 4 and not is_causal",
    ),
    given(
        "mask-of-two-dimensions-as-padding",
        "== 2",
        "mask[:, None, None]",
        "You take a mask of two dimensions for (batch, kv_len). It is (q_len, kv_len), the same for all.",
    ),
    given(
        "mask-of-two-dimensions-as-padding-of-as-many-sequences",
        "== 2",
        "mask.view(len(mask), *[1] * (query.dim() - 2), mask.shape[-1])",
        "You take a mask of two dimensions for (batch, kv_len) where its first size is the batch's. It is "
        "(q_len, kv_len), which may be as many.",
        also="query.dim() > 2 and len(mask) == len(query) and not is_causal",
    ),
    given(
        "mask-of-two-dimensions-with-two-more",
        "== 2",
        "mask[None, None]",
        "You put two dimensions before a mask of two, so scores with fewer than four, and the result, get "
        "more.",
    ),
    given(
        "mask-with-four-dimensions",
        "< 4",
        "mask[(None,) * (4 - mask.dim())]",
        "You bring a mask to four dimensions, so scores with fewer, and the result, get more.",
    ),
    Mistake(
        "causal-mask-with-four-dimensions",
        find=".tril()",
        replace=".tril()[None, None]",
        says="Your causal mask has four dimensions, so scores with fewer, and the result, get more. "
        f"(q_len, kv_len) are enough. {BROADCASTS}",
    ),
    *(
        given(
            f"mask-flattened-and-{way}",
            "> 2",
            "mask.reshape(-1, *mask.shape[-2:])\n"
            "        times = query.shape[:-2].numel() // len(mask)\n"
            f"        mask = mask.{repeated}.reshape(*query.shape[:-2], *mask.shape[-2:])",
            "You flatten the leading dimensions of a mask before it is expanded, and repeat what comes out "
            f"for all rows. So {which}. Expand it to the scores' dimensions first, or do not flatten.",
        )
        for way, repeated, which in (
            (
                "tiled",
                "repeat(times, 1, 1)",
                "one of (batch, 1, …) gets to other sequences than its own where there are several heads",
            ),
            (
                "repeated-one-by-one",
                "repeat_interleave(times, 0)",
                "one of (heads, …) gets to other heads than its own where there are several sequences",
            ),
        )
    ),
]
