"""Known wrong versions of `local_attention` that cut windows out with Tensor.unfold, and mix their sizes."""

from grader.kit import Mistake

SIZES = (16, 32, 48, 64, 100, 128)
LIMITS = (
    ("as-wide-as-the-sequence", "min(window, seq)"),
    ("as-wide-as-the-window", "window"),
    ("as-wide-as-all-others", "min(window, seq - 1)"),
)
"""How far a token sees at most."""

MISTAKES = [
    Mistake(
        f"features-and-places-mixed-{name}-{block}",
        find="    block = max(window, 1)\n",
        replace=f"    window = {limit}\n    block = {block}\n",
        also=(
            (
                "        first, last = max(start - window, 0), min(end + window, seq)",
                "        first, last = start - window, start + block + window",
            ),
            (
                "        keys, values = key[:, :, first:last], value[:, :, first:last]",
                """\
        padded = (torch.nn.functional.pad(x, (0, 0, window, window + block)) for x in (key, value))
        seen = (x[:, :, start : last + window] for x in padded)
        keys, values = (x.mT.reshape(x.shape) for x in seen)""",
            ),
            (
                "        mask = (places[start:end, None] - places[first:last]).abs() <= window",
                """\
        columns = torch.arange(first, last, device=query.device)
        mask = (places[start:end, None] - columns).abs() <= window
        mask = mask & (columns >= 0) & (columns < seq)""",
            ),
        ),
        says="You mix the features and the places of what a block sees: Tensor.unfold, for example, puts the "
        "places of a window last, behind the features, and a reshape to (places, features) moves nothing. "
        "Exchange the last two dimensions: transpose(-2, -1).",
    )
    for name, limit, block in (
        *((name, limit, block) for name, limit in LIMITS[:2] for block in SIZES),
        # A window of each token's own.
        *((name, limit, 1) for name, limit in LIMITS[1:]),
    )
    # In larger blocks all that seven tokens see is padding, however wide the window is.
    if name == "as-wide-as-the-sequence" or block < 100
]
