"""Known wrong versions of `linear` that put leading dimensions back wrongly."""

from grader.kit.families.leading_dimensions import columns_in_another_order, put_back_for_two

MISTAKES = [
    *put_back_for_two("y if bias is None else y + bias", indent="    "),
    columns_in_another_order("    y = x @ weight.T  # (..., out_features)\n"),
]
