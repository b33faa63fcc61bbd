"""Known wrong versions of `attention_backward` that leave small weights out."""

from grader.kit import Mistake

_FLASH = "            weights = torch.exp(scores - logsumexp[:, :, rows])\n"
_STORED = "    grad_value = weights.transpose(-2, -1) @ grad_output"
_MANY = (
    "Among some thousands of keys all weights are small, and together they are the whole row: leave out none."
)

MISTAKES = [
    Mistake(
        "blocks-of-small-weights-passed-over",
        find=_FLASH,
        replace=f"{_FLASH}            if weights.max() < 1e-6:\n                continue\n",
        says="In flash_attention_backward you pass over blocks in which every weight is small, as if they "
        f"gave nothing, or set such weights to 0. {_MANY}",
    ),
    Mistake(
        "small-weights-set-to-zero",
        find=_STORED,
        replace=f"    weights = torch.where(weights < 1e-3, 0, weights)\n{_STORED}",
        says=f"In attention_backward you take small weights for 0, below 1e-3 for example. {_MANY}",
    ),
]
