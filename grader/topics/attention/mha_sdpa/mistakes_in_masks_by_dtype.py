"""Known wrong versions of `mha_sdpa` that read masks of some dtypes the wrong way round, or compute with them
in their own: in bytes there is nothing below 0.
"""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import IMPORT_TORCH

_BOOLEAN = "            mask = mask.bool()"

MISTAKES = [
    *(
        Mistake(
            f"{kind}-mask-inverted",
            find=_BOOLEAN,
            replace=f"            mask = ~mask.bool() if {condition} else mask.bool()",
            also=IMPORT_TORCH,
            says=f"You read {words} the wrong way round, but {others} right. In nn.MultiheadAttention True "
            "means ignored; in F.scaled_dot_product_attention, and here, True (or 1) means that the key may "
            "be attended to. Hand over mask.bool(), whatever the dtype is.",
        )
        for kind, condition, words, others in (
            ("boolean", "mask.dtype == torch.bool", "a boolean mask", "one of numbers"),
            ("numeric", "mask.dtype != torch.bool", "a mask of numbers", "a boolean one"),
            ("float", "mask.is_floating_point()", "a mask of floats", "one of another dtype"),
        )
    ),
    *(
        Mistake(
            f"bytes-wrapped-around-{id}",
            find=_BOOLEAN,
            replace=f"""\
            if mask.dtype == torch.uint8:
                mask = (mask - 1).to(x.dtype) * {times}
            else:
                mask = mask.bool()""",
            also=IMPORT_TORCH,
            says="You compute with the mask in its own dtype. In uint8 there is nothing below 0: 0 - 1 is "
            f"255, and what was to be hidden {becomes}. Cast it to the dtype of x before you subtract, or "
            "hand over mask.bool() (or mask != 0): the built-in does the rest.",
        )
        for id, times, becomes in (
            ("to-a-huge-number", "1e30", "is read alone, for its scores are far above all others"),
            ("to-a-large-number", "1e9", "is read alone, for its scores are far above all others"),
            ("to-infinity", "torch.finfo(x.dtype).max", "gets a score of inf: NaN comes out"),
        )
    ),
]
