"""Known wrong versions of `int8_linear` that sum whole numbers in blocks in which they do not fit."""

from grader.kit import Mistake

_TOTAL = "        total = q.int() @ self.weight.int().T  # (..., out_features)\n"
_SCALED = "        out = total * x_scale * self.scale[:, 0]"

MISTAKES = [
    Mistake(
        "summed-in-float32-by-blocks",
        find=_TOTAL,
        replace="""\
        parts = zip(q.split(4096, -1), self.weight.split(4096, -1), strict=True)
        total = sum((part.float() @ of.float().T).double() for part, of in parts)
""",
        also=((_SCALED, f"        out = ({_SCALED.split(' = ')[1]}).to(x.dtype)"),),
        says="In float32 you sum blocks of products that are too long for it (4096 features, for example): "
        "it has all whole numbers up to 2^24 only, which some 1,040 of the largest products exceed. Sum in "
        "int32, or in float64.",
    ),
    Mistake(
        "summed-in-int16-by-fours",
        find=_TOTAL,
        replace="""\
        total = 0
        for first in range(0, q.shape[-1], 4):
            lane = q[..., None, first : first + 4].short() * self.weight[:, first : first + 4].short()
            total = total + lane.sum(dim=-1, dtype=torch.int16).int()
""",
        says="You add up several products in int16, where two of the largest fit (2 * 127² is 32,258), but "
        "no three or four of one sign: the sum wraps around. Sum in int32, or in float64.",
    ),
]
