"""Known wrong versions of `masks` in which large numbers are taken for others, or products for factors."""

from grader.kit import Mistake

SAME = "same = sequence_ids[:, None, :, None] == sequence_ids[:, None, None, :]"
SPARSE = "    return local_mask(seq_len, stride) | is_global[:, None] | is_global"
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
    Mistake(
        "sparse-by-the-product",
        find=SPARSE,
        replace="""\
    places = torch.arange(seq_len)
    return local_mask(seq_len, stride) | (places[:, None] * places % stride == 0)""",
        says="You keep the places whose product i * j is a multiple of stride. For a stride that is no prime "
        "neither of the two need be one: 2 * 6 is a multiple of 4. Ask for each, and take either.",
    ),
    Mistake(
        "distances-in-int8",
        find="return queries[:, None] - torch.arange(kv_len, device=device)",
        replace="return (queries[:, None] - torch.arange(kv_len, device=device)).to(torch.int8)",
        says="Your distances do not hold numbers beyond 127 (int8, for example): a query 128 places behind a "
        "key seems to stand in front of it. Leave them int64, as torch.arange makes them.",
    ),
]
