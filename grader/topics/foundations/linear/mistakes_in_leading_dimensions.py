"""Known wrong versions of `linear` that put leading dimensions back wrongly."""

from grader.kit import Mistake
from grader.kit.families.leading_dimensions import columns_in_another_order, put_back_for_two

MISTAKES = [
    *put_back_for_two("y if bias is None else y + bias", indent="    "),
    columns_in_another_order("    y = x @ weight.T  # (..., out_features)\n"),
    Mistake(
        "first-dimension-of-one-taken-for-a-vectors",
        find="    return y if bias is None else y + bias",
        replace="""\
    y = y if bias is None else y + bias
    return y[0] if y.dim() > 1 and len(y) == 1 else y""",
        says="Where the first dimension is 1, it is gone: you make a row of a vector, for example, and take "
        "it out again by its size. (1, in_features) is a batch of one. Only a vector gives a vector.",
    ),
]
