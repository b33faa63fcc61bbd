"""Known wrong versions of `masks` that take large ids next to each other for the same."""

from grader.kit import Mistake

SAME = "same = sequence_ids[:, None, :, None] == sequence_ids[:, None, None, :]"
PADDING = "(token_ids != pad_id)[:, None, None, :]"
CLOSE = (
    "torch.isclose allows for a hundred-thousandth of the number, in whole ones too. Compare these with ==."
)
ROUNDED = "It has 24 bits for a number: from 16,777,216 on not every whole one. Compare them as they are."

MISTAKES = [
    Mistake(
        "packed-ids-nearly-equal",
        find=SAME,
        replace="same = torch.isclose(sequence_ids[:, None, :, None], sequence_ids[:, None, None, :])",
        says=f"You take large ids that are nearly equal for one text: {CLOSE}",
    ),
    Mistake(
        "packed-ids-in-float32",
        find=SAME,
        replace="same = sequence_ids.float()[:, None, :, None] == sequence_ids.float()[:, None, None, :]",
        says=f"You take different large ids for one text: they are equal once rounded to float32. {ROUNDED}",
    ),
    Mistake(
        "padding-nearly-pad-id",
        find=PADDING,
        replace="~torch.isclose(token_ids, torch.full_like(token_ids, pad_id))[:, None, None, :]",
        says=f"You hide tokens whose large ids are nearly pad_id: {CLOSE}",
    ),
    Mistake(
        "padding-in-float32",
        find=PADDING,
        replace="(token_ids.float() != float(pad_id))[:, None, None, :]",
        says="You hide tokens whose large ids are pad_id only once they are rounded to float32. " + ROUNDED,
    ),
]
