"""Known wrong versions of `layer_norm_backward` that divide by the length of the normalized x."""

from grader.kit import Mistake

LAYER = "along_x = (grad_normalized * normalized).mean(dim=-1, keepdim=True)"
RMS = "share_of_x = (grad_scaled * normalized).mean(dim=-1, keepdim=True)"
LENGTH = "normalized.square().mean(dim=-1, keepdim=True)"
GUARDED = f"{LENGTH}.masked_fill(normalized.square().sum(dim=-1, keepdim=True) == 0, 1)"

MISTAKES = [
    Mistake(
        id + ending,
        find=first,
        replace=f"{first} / {length}",
        also=tuple((line, f"{line} / {length}") for line in others),
        says=f"{where} you take away the part along the normalized x as an orthogonal projection does, "
        "divided by the square of its length. That is hidden only where eps is 0: a mean, divided by hidden, "
        f"is right for any eps.{more}",
    )
    for ending, length, more in (
        ("", GUARDED, ""),
        ("-of-any-length", LENGTH, " (And for a vector of zeros yours divides 0 by 0.)"),
    )
    for id, where, first, *others in (
        ("orthogonal-projection", "In layer norm", LAYER),
        ("orthogonal-projection-of-rms-norm", "In RMS norm", RMS),
        ("orthogonal-projection-in-both", "In both functions", LAYER, RMS),
    )
]
