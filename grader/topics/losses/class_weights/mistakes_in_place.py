"""Known wrong versions of `class_weights` that write to labels of some dtypes."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"labels-sorted-in-place-if-{id}",
        find="counts = torch.bincount(labels, minlength=num_classes)",
        replace=f"""\
if {condition}:
        labels.copy_(labels.sort().values)
    counts = torch.bincount(labels, minlength=num_classes)""",
        says=f"You sort labels in place if they are {what}: .to() makes no copy of a tensor that has the "
        "dtype already, for example, and .numpy() shares its memory. They do not belong to their examples "
        "any more. Sort a copy; to count, no order is needed.",
    )
    for id, condition, what in (
        ("int64", "labels.dtype == torch.int64", "int64"),
        ("int32", "labels.dtype == torch.int32", "int32"),
        ("int16", "labels.dtype == torch.int16", "int16"),
        ("not-int64", "labels.dtype != torch.int64", "of another dtype than int64"),
    )
]
