"""Known wrong versions of `mask_functions`: what is looked up, and where; how ids are compared."""

from grader.kit import Mistake

PACKED = "        return sequence_ids[batch, q] == sequence_ids[batch, kv]"
OFFSET = "fn(batch, head, q + q_offset, kv + kv_offset)"
IDS = "        one, other = sequence_ids[batch, q], sequence_ids[batch, kv]\n"
SAYS = (
    "{} looks up every pair of two lists of indices, as is right for the axes of a table, and lays them out "
    "as (batch, head, q, kv). Indices may come in any shapes that broadcast, point by point for example: {}."
)

MISTAKES = [
    Mistake(
        "padding-of-all-pairs",
        find="        return keep[batch, kv]",
        replace="        return keep[batch.reshape(-1)][:, kv.reshape(-1)][:, None, None, :]",
        says=SAYS.format("padding", "keep[batch, kv] gives the shape that they broadcast to"),
    ),
    Mistake(
        "packed-of-all-pairs",
        find="        return sequence_ids[batch, q] == sequence_ids[batch, kv]",
        replace="""\
        rows = sequence_ids[batch.reshape(-1)]
        return rows[:, None, q.reshape(-1), None] == rows[:, None, None, kv.reshape(-1)]""",
        says=SAYS.format("packed", "sequence_ids[batch, q] gives the shape that they broadcast to"),
    ),
    Mistake(
        "packed-by-neighbours",
        find=PACKED,
        replace="""\
        begins = torch.zeros_like(sequence_ids)
        begins[:, 1:] = sequence_ids[:, 1:] != sequence_ids[:, :-1]
        text = begins.cumsum(dim=1)
        return text[batch, q] == text[batch, kv]""",
        says="You count the texts of a row: a new one begins wherever the id changes. Equal ids are one text "
        "also where another stands between them: compare each query's id with each key's.",
    ),
    Mistake(
        "packed-by-isin",
        find=PACKED,
        replace="""\
        ids_of_q, ids_of_kv = sequence_ids[batch, q], sequence_ids[batch, kv]
        shape = torch.broadcast_shapes(ids_of_q.shape, ids_of_kv.shape)
        return torch.isin(ids_of_kv, ids_of_q).expand(shape)""",
        says="You keep a key whose id any of the queries has (torch.isin looks each element up in the whole "
        "of the other tensor). Compare each query's id with each key's, by ==.",
    ),
    *(
        Mistake(
            f"packed-ids-{name}",
            find=PACKED,
            replace=f"{IDS}        return {code}",
            says=says,
        )
        for name, code, says in (
            (
                "nearly-equal",
                "torch.isclose(*torch.broadcast_tensors(one, other))",
                "You take large ids that are nearly equal for one text: torch.isclose allows for a "
                "hundred-thousandth of the number, in whole ones too. Compare these with ==.",
            ),
            (
                "in-float32",
                "one.float() == other.float()",
                "You take different large ids for one text: they are equal once rounded to float32. It has "
                "24 bits for a number: from 16,777,216 on not every whole one. Compare them as they are.",
            ),
        )
    ),
    *(
        Mistake(
            f"offset-by-the-difference-{name}",
            find=OFFSET,
            replace=moved,
            says=f"You move {name} alone, by the difference of the offsets, as if a mask depended on q - kv "
            "only. chunked, padding and packed do not: each index gets its own offset.",
        )
        for name, moved in (
            ("keys", "fn(batch, head, q, kv + kv_offset - q_offset)"),
            ("queries", "fn(batch, head, q + q_offset - kv_offset, kv)"),
        )
    ),
    *(
        Mistake(
            f"offset-of-{name}-subtracted",
            find=OFFSET,
            replace=moved,
            says=f"You subtract {its} from {index}. Both offsets are added to the indices before fn sees "
            f"them, so that {index} = 0 is asked for as {its}.",
        )
        for name, its, index, moved in (
            ("keys", "kv_offset", "kv", "fn(batch, head, q + q_offset, kv - kv_offset)"),
            ("queries", "q_offset", "q", "fn(batch, head, q - q_offset, kv + kv_offset)"),
        )
    ),
]
