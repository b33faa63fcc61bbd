"""Known wrong versions of `ffn` that put leading dimensions back wrongly."""

from grader.kit.families.leading_dimensions import (
    columns_in_another_order,
    put_back_for_two,
    shaped_for_batches,
)

MISTAKES = [
    *put_back_for_two("self.dropout(output)"),
    *shaped_for_batches("self.dropout(output)"),
    columns_in_another_order("        hidden = self.up_proj(x)  # (..., intermediate_size)\n"),
]
