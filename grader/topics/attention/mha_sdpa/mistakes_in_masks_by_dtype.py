"""Known wrong versions of `mha_sdpa` that read masks of some dtypes the wrong way round."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"{kind}-mask-inverted",
        find="            mask = mask.bool()",
        replace=f"            mask = ~mask.bool() if {condition} else mask.bool()",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says=f"You read {words} the wrong way round, but {others} right. In nn.MultiheadAttention True means "
        "ignored; in F.scaled_dot_product_attention, and here, True (or 1) means that the key may be "
        "attended to. Hand over mask.bool(), whatever the dtype is.",
    )
    for kind, condition, words, others in (
        ("boolean", "mask.dtype == torch.bool", "a boolean mask", "one of numbers"),
        ("numeric", "mask.dtype != torch.bool", "a mask of numbers", "a boolean one"),
        ("float", "mask.is_floating_point()", "a mask of floats", "one of another dtype"),
    )
]
