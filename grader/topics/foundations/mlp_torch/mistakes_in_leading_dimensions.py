"""Known wrong versions of `mlp_torch` that put leading dimensions back wrongly."""

from grader.kit.families.leading_dimensions import columns_in_another_order, put_back_for_two

MISTAKES = [
    *put_back_for_two("self.fc2(hidden)"),
    columns_in_another_order("        pre = self.fc1(x)  # (..., hidden_size)\n"),
]
