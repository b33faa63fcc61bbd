"""Mistakes that several attention topics share: whose mask is read, what tells its dimensions, and what a
part of it is taken to say of the whole.
"""

from collections.abc import Iterator
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


def decided_by_the_first_sequence(mask: str = "mask") -> tuple[Mistake, ...]:
    """Whether there is anything to be masked, and which blocks of keys may be skipped."""
    its_own = "Each sequence has its own: look at all of them, mask.all() or mask.any() without an index."
    seen = f"part.any().expand(part.shape[-1]) for part in {mask}[0].expand(scores.shape[1:]).split({{}}, -1)"
    return (
        Mistake(
            "mask-left-out-where-the-first-sequence-has-none",
            find=f"if {mask} is not None:",
            replace=f"if {mask} is not None and not {mask}[0].all():",
            says="Where nothing is masked in the first sequence (or head, say), you leave the mask out for "
            f"all of the batch. {its_own}",
        ),
        *(
            Mistake(
                f"keys-skipped-in-blocks-of-{size}-by-the-first-sequence",
                find=f"~{mask}, -math.inf",
                replace=f"~({mask} & torch.cat([{seen.format(size)}])), -math.inf",
                says="You skip a block of keys where the mask of the first sequence (or head) forbids it, "
                f"though others may attend to it. {its_own}",
            )
            for size in (16, 32)
        ),
    )


def taken_for_plain(
    before: str, *, seq: str = "x.shape[1]", keys: str = "", mask: str = "mask"
) -> Iterator[Mistake]:
    """`before`: the line before which this is decided, at a place where there may be no mask; `seq`: how many
    queries there are, and `keys`: how many keys, where there may be more or less.
    """
    square = f" and {keys} == {seq}" if keys else ""
    indent = " " * (len(before) - len(before.lstrip()))
    for id_, which, plain, triangle, decided, words in (
        (
            "causal-by-a-part",
            "[0, 0]",
            ".tril()",
            "",
            "the causal one",
            "a part of it alone (the first head or sequence)",
        ),
        (
            "none-by-a-part",
            "[0, 0]",
            "",
            "",
            "one that hides nothing",
            "a part of it alone (the first head or sequence)",
        ),
        ("causal-by-the-upper-half", "", ".tril()", ".triu(1)", "the causal one", "its upper half alone"),
        ("causal-by-the-lower-half", "", ".tril()", ".tril()", "the causal one", "its lower half alone"),
    ):
        yield Mistake(
            f"mask-taken-for-{id_}",
            find=before,
            replace=f"""\
{indent}if {mask} is not None{square}:
{indent}    plain = {mask}.new_ones({seq}, {seq}){plain}
{indent}    part = {mask}.expand(-1, -1, {seq}, {seq}){which}
{indent}    if bool((part{triangle} == plain{triangle}).all()):
{indent}        {mask} = plain
{before}""",
            says=f"To decide whether a mask is {decided}, you look at {words}, and the rest of the mask is "
            "lost where it says something else. Every sequence and every head may have a mask of its own: "
            "compare all of it, or use it as it is.",
        )


def nothing_hidden_from_itself(
    before: str, *, seq: str = "x.shape[1]", mask: str = "mask", condition: str = ""
) -> Mistake:
    """`before`: as in `taken_for_plain`; `condition`: when it happens, beside that there is a mask."""
    indent = " " * (len(before) - len(before.lstrip()))
    return Mistake(
        "tokens-always-see-themselves",
        find=before,
        replace=f"""\
{indent}if {mask} is not None{condition}:
{indent}    {mask} = {mask} | {mask}.new_zeros({seq}, {seq}).fill_diagonal_(True)
{before}""",
        says="With you every token may attend to itself, whatever the mask says (against rows in which "
        "nothing is allowed, for example). A mask may forbid just that, and every query has some key that it "
        "may attend to: use the mask as it is.",
    )


def keys_of_the_first_head(masking: str) -> Mistake:
    """`masking`: the line that fills the scores with -inf."""
    indent = " " * (len(masking) - len(masking.lstrip()))
    return Mistake(
        "keys-of-the-first-head-for-all",
        find=masking,
        replace=f"""\
{indent}if mask.shape[0] == mask.shape[2] == 1:
{indent}    mask = mask[:, :1]
{masking}""",
        says="Where a mask is the same for all sequences and queries, (1, …, 1, seq), you take what it says "
        "of the first head for all of them (you leave these keys out, for example). It may differ from head "
        "to head.",
    )


def all_of_it_inverted_in_place() -> Mistake:
    """Of a mask (batch, head, query, key) in which no size is 1."""
    return Mistake(
        "mask-of-all-sizes-inverted-in-place",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask.expand(scores.shape).contiguous().logical_not_(), -math.inf)",
        says="A mask that has all four sizes already is the caller's own tensor, also after expand() and "
        "contiguous(), which copy only where they must. You write to it: it says something else for whoever "
        "uses it next. Make a new tensor: ~mask.",
    )
