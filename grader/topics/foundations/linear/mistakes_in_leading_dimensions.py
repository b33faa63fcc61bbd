"""Known wrong versions of `linear` that put leading dimensions back wrongly."""

from grader.kit.families.leading_dimensions import put_back_for_two

MISTAKES = put_back_for_two("y if bias is None else y + bias", indent="    ")
