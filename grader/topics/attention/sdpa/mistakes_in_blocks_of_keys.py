"""Known wrong versions of `sdpa` that go through blocks of keys, and merge them wrongly.

A maximum that autograd sees as a constant changes the gradients, which are asked for with few keys only.
"""

from grader.kit import Mistake

_END = """\
    weights = torch.softmax(scores, dim=-1)
    return weights @ value  # (..., q_len, value_dim)"""
_ROWS = (
    "Both were summed relative to the old maximum: multiply both by exp(old maximum - new maximum), from the "
    "maximum as it was before this block."
)
_KINDS = (
    (
        "nothing-rescaled",
        "norm = norm + exps.sum(dim=-1, keepdim=True)",
        "output = output + exps @ value[..., block, :]",
        "What you have summed of earlier blocks of keys is not corrected when a row's maximum grows: the "
        "factor is 1, for example since the old maximum is overwritten before it is needed. Multiply the "
        "denominator and the output so far by exp(old maximum - new maximum).",
    ),
    (
        "output-not-rescaled",
        "norm = norm * factor + exps.sum(dim=-1, keepdim=True)",
        "output = output + exps @ value[..., block, :]",
        "You correct the denominator when a later block of keys raises the maximum, but not the output. "
        f"{_ROWS}",
    ),
    (
        "denominator-not-rescaled",
        "norm = norm + exps.sum(dim=-1, keepdim=True)",
        "output = output * factor + exps @ value[..., block, :]",
        "You correct the output when a later block of keys raises the maximum, but not the denominator. "
        f"{_ROWS}",
    ),
)
_SIZES = (
    *((size, ending) for size in (1, 2, 4) for ending in ("", "-as-a-constant")),
    *((size, "") for size in (8, 16, 32, 64, 128)),  # and 256 comes to the same
)

MISTAKES = [
    Mistake(
        f"{kind}-in-blocks-of-{size}{ending}",
        find=_END,
        replace=f"""\
    dtype = query.dtype
    scores, value = (each.float() if dtype == torch.float16 else each for each in (scores, value))
    largest = torch.full_like(scores[..., :1], torch.finfo(scores.dtype).min)
    norm, output = torch.zeros_like(largest), 0.0
    for start in range(0, key.shape[-2], {size}):
        block = slice(start, start + {size})
        raised = torch.maximum(largest, scores[..., block].amax(dim=-1, keepdim=True))
        raised = raised{".detach()" if ending else ""}
        factor, exps = torch.exp(largest - raised), torch.exp(scores[..., block] - raised)
        {norm}
        {output}
        largest = raised
    return (output / norm).to(dtype)""",
        says=says,
    )
    for kind, norm, output, says in _KINDS
    for size, ending in _SIZES
]
