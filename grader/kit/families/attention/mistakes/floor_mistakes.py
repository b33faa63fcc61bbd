"""Mistakes that several attention topics share: the sum of the allowed keys' weights with a floor under it.

They have the values of `mask_mistakes.after_softmax_renormalised_to_zeros` where every sum is either 0 or far
above the floor.
"""

from dataclasses import replace

from grader.kit.families.attention.mistakes import mask_mistakes
from grader.kit.mistakes import Mistake

_SUM = "weights.sum(dim=-1, keepdim=True)"


def after_softmax_renormalised(
    *floors: str, masking: str = mask_mistakes.MASKING, mask: str = "mask"
) -> tuple[Mistake, ...]:
    """`floors`: `plus 1e-9`, `at least 1e-12` and the like, or `0 for NaN`; `masking`: the lines before the
    softmax that apply the mask."""
    without = mask_mistakes.after_softmax_renormalised(masking, mask)
    return tuple(
        replace(
            without,
            id=f"{without.id}-{floor.lower().replace(' ', '-')}",
            replace=_floored(without.replace, floor),
            says="What your softmax subtracts can lie far above a row's allowed scores: their exponentials, "
            f"and so their sum, are then 0 or nearly, and {_hidden(floor)}. Usually forbidden scores take "
            "part in the softmax, and are zeroed only afterwards. Mask the scores with -inf first.",
        )
        for floor in floors
    )


def _floored(lines: str, floor: str) -> str:
    how, number = floor.rsplit(" ", 1)
    if how == "plus":
        return lines.replace(_SUM, f"({_SUM} + {number})")
    if how == "at least":
        return lines.replace(_SUM, f"{_SUM}.clamp(min={number})")
    return lines.replace(f"weights / {_SUM}", f"(weights / {_SUM}).nan_to_num(0.0)")


def _hidden(floor: str) -> str:
    if floor == "0 for NaN":
        return "0 in place of NaN (nan_to_num, for example) only hides that the row has no weights left"
    return f"a floor under the sum ({floor}, for example) only makes the row's weights too small"
