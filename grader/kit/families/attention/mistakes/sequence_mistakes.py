"""Mistakes that several attention topics share: whose mask is read, and what tells its dimensions."""

from dataclasses import replace

from grader.kit.families.attention.mistakes import mask_mistakes
from grader.kit.mistakes import Mistake

_FILLED = "scores.masked_fill(~{}, -math.inf)"
_ITS_OWN = "Each sequence has its own; a first size of 1, which means the same for all, broadcasts by itself."


def of_the_first_sequence(mask: str = "mask", *, queries: int = 2) -> tuple[Mistake, Mistake]:
    """Of every mask, and of those with a row for each query. `queries`: which of its dimensions is theirs."""
    find = _FILLED.format(mask)
    return (
        Mistake(
            "mask-of-the-first-sequence",
            find=find,
            replace=_FILLED.format(f"{mask}[:1]"),
            says=f"You use the mask of the first sequence for all of the batch. {_ITS_OWN}",
        ),
        Mistake(
            "mask-of-the-first-sequence-where-queries-differ",
            find=find,
            replace=_FILLED.format(f"({mask} if {mask}.shape[{queries}] == 1 else {mask}[:1])"),
            says="Of a mask with a row for each query you use the first sequence's for all of the batch, as "
            f"if only padding differed from sequence to sequence. {_ITS_OWN}",
        ),
    )


def flattened_batch_first(mask: str = "mask") -> Mistake:
    """Under scores that are flattened heads first: the other way round than `repeated_heads_first`."""
    laid_out = f"{mask}.expand(batch, self.num_heads, *{mask}.shape[2:])"
    laid_out = f"{laid_out}.reshape(self.num_heads, batch, *{mask}.shape[2:]).transpose(0, 1)"
    return Mistake(
        "mask-flattened-batch-first",
        find=_FILLED.format(mask),
        replace=_FILLED.format(laid_out),
        says="Your scores stand in the order (heads, batch), your mask in the order (batch, heads), so heads "
        "and sequences get each other's masks. Flatten both in the same order: "
        "mask.expand(...).transpose(0, 1).reshape(...), for example.",
    )


def repeated_heads_first_where_heads_are_alike(mask: str = "mask") -> Mistake:
    """A mask with a head dimension of 1 alone; others are flattened as the heads are."""
    all_masks = mask_mistakes.repeated_heads_first(mask)
    same = all_masks.replace.removeprefix("scores.masked_fill(~").removesuffix(", -math.inf)")
    return replace(
        all_masks,
        id="mask-of-all-heads-repeated-heads-first",
        replace=f"scores.masked_fill(~({same} if {mask}.shape[1] == 1 else {mask}), -math.inf)",
    )


def square_taken_for_padding(
    rows: str, keys: str, *, masking: str, indent: str, mask: str = "mask"
) -> Mistake:
    """`rows`: how many sequences there are; `keys`: how many keys; `masking`: the line that applies the mask,
    indented by `indent`; a row of keys for each sequence then gets as many dimensions as the scores have."""
    return Mistake(
        "mask-taken-for-padding-by-its-sizes",
        find=masking,
        replace=f"""\
{indent}if {mask}.squeeze().shape == ({rows}, {keys}):
{indent}    {mask} = {mask}.squeeze().view({rows}, *(1,) * (scores.dim() - 2), {keys})
{masking}""",
        says="You tell by the sizes of a mask what its dimensions are, once those of 1 are left out. With as "
        "many sequences as queries (or heads) that is ambiguous: (1, queries, keys) is taken for a row of "
        "keys for each sequence, for example. The places of the dimensions tell: use the mask as it comes.",
    )
