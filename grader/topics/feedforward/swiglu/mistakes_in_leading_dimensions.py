"""Known wrong versions of `swiglu` that put leading dimensions back wrongly."""

from grader.kit.families.leading_dimensions import put_back_for_two, shaped_for_batches

MISTAKES = [*put_back_for_two("self.dropout(output)"), *shaped_for_batches("self.dropout(output)")]
