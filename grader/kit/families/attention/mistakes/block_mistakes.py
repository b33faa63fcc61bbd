"""Mistakes that several attention topics share: queries or keys in blocks, of which the rest is left out,
whose parts are merged wrongly, whose padding counts, of which the first is hidden as a whole, or of which
what is small is left out.

Below the largest block that a check's lengths know, larger ones have the same values.
"""

from collections.abc import Iterator, Sequence

from grader.kit.mistakes import Mistake

_RIGHT = (
    "The last block may be shorter than the others: for start in range(0, length, block), with slices that "
    "end where the tensor ends."
)


_ROWS = (
    "Both were summed relative to the old maximum: multiply both by exp(old maximum - new maximum), from the "
    "maximum as it was before this block."
)
_KINDS = (
    (
        "nothing-rescaled",
        "norm = norm + exps.sum(dim=-1, keepdim=True)",
        "output = output + exps @ value[..., block, :]",
        "What you have summed of earlier blocks of keys is not corrected when a row's maximum grows: the "
        "factor is 1, for example since the old maximum is overwritten before it is needed. Multiply the "
        "denominator and the output so far by exp(old maximum - new maximum).",
    ),
    (
        "output-not-rescaled",
        "norm = norm * factor + exps.sum(dim=-1, keepdim=True)",
        "output = output + exps @ value[..., block, :]",
        "You correct the denominator when a later block of keys raises the maximum, but not the output. "
        f"{_ROWS}",
    ),
    (
        "denominator-not-rescaled",
        "norm = norm + exps.sum(dim=-1, keepdim=True)",
        "output = output * factor + exps @ value[..., block, :]",
        "You correct the output when a later block of keys raises the maximum, but not the denominator. "
        f"{_ROWS}",
    ),
)


def rest_left_out(
    queries: str,
    keys: str,
    *,
    blocks: Sequence[int] = (4, 8, 16),
    with_one_at_least: Sequence[int] = (4, 8, 16),
    product: str = "weights @ value",
    scores: str = "query @ key.transpose(-2, -1)",
) -> tuple[Mistake, ...]:
    """`queries` and `keys`: how many there are; `blocks`: how many queries one has, of which none may be
    whole, and `with_one_at_least`, where there is always one; `product`: the expression of the results;
    `scores`: that of the scores."""
    sizes = [(block, 0) for block in blocks] + [(block, 1) for block in with_one_at_least]
    of_queries = [_queries_left_out(block, least, queries, product) for block, least in sizes]
    return (*of_queries, _keys_left_out(keys, scores))


def _queries_left_out(block: int, least: int, queries: str, product: str) -> Mistake:
    kept = f"max({queries} // {block}, 1) * {block}" if least else f"{queries} // {block} * {block}"
    rest = f"(0, 0, 0, max({queries} - {kept}, 0))"
    return Mistake(
        f"last-queries-left-out-in-blocks-of-{block}" + ("-with-one-at-least" if least else ""),
        find=product,
        replace=f"torch.nn.functional.pad(({product})[..., : {kept}, :], {rest})",
        says="The last queries of a sequence read nothing: 0 is left in place of their mean of the values "
        f"(you go through as many blocks of {block} as fit, for example). {_RIGHT}",
    )


def _keys_left_out(keys: str, scores: str) -> Mistake:
    kept = f"max({keys} // 16, 1) * 16"
    rest = f"torch.arange({keys}, device=query.device) >= {kept}"
    return Mistake(
        "last-keys-left-out-in-blocks",
        find=scores,
        replace=f"({scores}).masked_fill({rest}, -math.inf)",
        says="In a long sequence no query reads the last keys (those that blocks of 16 leave over, for "
        f"example). {_RIGHT}",
    )


def not_rescaled(
    softmax: str, keys: str, *, largest: int = 64, before: str = "", result: str = "output / norm"
) -> Iterator[Mistake]:
    """`softmax`: the line that makes `weights`, which `weights @ value` uses; `keys`: how many there are;
    `largest`: the largest block that is smaller than those; `before`: a line that comes first, and `result`
    what stands in the place of that product, where dtypes matter.

    A maximum that autograd sees as a constant changes the gradients, which are asked for with few keys only.
    """
    indent = " " * (len(softmax) - len(softmax.lstrip()))
    for kind, norm, output, says in _KINDS:
        for size in (2**power for power in range(largest.bit_length())):
            for ending in ("", "-as-a-constant") if size <= 4 else ("",):
                lines = f"""\
{before}
largest = torch.full_like(scores[..., :1], torch.finfo(scores.dtype).min)
norm, output = torch.zeros_like(largest), 0.0
for start in range(0, {keys}, {size}):
    block = slice(start, start + {size})
    raised = torch.maximum(largest, scores[..., block].amax(dim=-1, keepdim=True)){".detach()" * bool(ending)}
    factor, exps = torch.exp(largest - raised), torch.exp(scores[..., block] - raised)
    {norm}
    {output}
    largest = raised
"""
                yield Mistake(
                    f"{kind}-in-blocks-of-{size}{ending}",
                    find=softmax,
                    replace="".join(f"{indent}{line}\n" for line in lines.splitlines() if line),
                    also=(("weights @ value", result),),
                    says=says,
                )


def mask_of_one_row_cut(
    masked_fill: str, mask: str, *, blocks: Sequence[int] = (8, 16, 32, 64, 128)
) -> Iterator[Mistake]:
    """`masked_fill`: the expression that fills the scores where `~mask`."""
    for size in blocks:
        first = f"(torch.arange(scores.shape[2], device=scores.device) < {size})[:, None]"
        yield Mistake(
            f"mask-of-one-row-in-the-first-block-of-{size}-alone",
            find=masked_fill,
            replace=masked_fill.replace(f"~{mask}", f"~{mask} & ({first} | ({mask}.shape[2] > 1))"),
            says="A mask with one row for all queries hides keys from the first queries only (those of the "
            f"first block of {size}, for example): cut like the queries, a dimension of size 1 gives an "
            "empty slice from the second block on. Cut it only where it has a row for each query.",
        )


def padding_counted(keys: str, scores: str, *, masked: bool = False) -> Iterator[Mistake]:
    """`keys`: how many there are; `scores`: the expression of the scores. With `masked` those are later
    masked, by a mask that is as long as they were.
    """
    for size in (4, 8, 16, 32, 64, 128):
        for ending, condition in (("", ""), ("-beyond-one", f" * ({keys} > {size})")):
            padding = f"(0, (-{keys} % {size}){condition})"
            also = [("weights @ value", f"(weights[..., : {keys}] @ value)")]
            if masked:
                also.append(
                    (
                        "~mask",
                        f"~torch.nn.functional.pad(mask.expand(-1, -1, -1, {keys}), {padding}, value=True)",
                    )
                )
            yield Mistake(
                f"padded-keys-counted-in-blocks-of-{size}{ending}",
                find=scores,
                replace=f"torch.nn.functional.pad({scores}, {padding})",
                also=tuple(also),
                says="You pad the keys with zeros to whole blocks, and these zeros have scores of 0, which "
                "the softmax counts: its denominator is too large. Fill their scores with -inf, or let the "
                "last block be shorter.",
            )


def first_block_hidden(softmax: str, sizes: Sequence[int] = (2, 4, 8, 16)) -> Iterator[Mistake]:
    """`softmax`: the line that makes `weights` of `scores`, in which -inf stands where a mask says so."""
    indent = " " * (len(softmax) - len(softmax.lstrip()))
    for size in sizes:
        yield Mistake(
            f"first-keys-all-hidden-in-blocks-of-{size}",
            find=softmax,
            replace=f"""\
{softmax}\
{indent}hidden = (scores[..., :{size}] == -math.inf).all(dim=-1, keepdim=True)
{indent}weights = weights.masked_fill(hidden, math.nan)
""",
            says="A query from which all of the first keys are hidden gets NaN. You go through the keys in "
            f"blocks (of {size} or more) with a running maximum, for example: while that still is -inf, "
            "-inf - -inf is NaN. Begin with a large negative number, or take 0 for it where it is -inf.",
        )


_SMALL = (
    "Many small weights add up, and their values may be large. Leave nothing out: weights that are too small "
    "to count become 0 by themselves."
)
LEFT_OUT = (
    "You leave out a block of keys whose scores lie far below the maximum so far, by {} or less for example, "
    f"or set such weights to 0. {_SMALL}"
)
FORGOTTEN = (
    "You forget what has been summed where the new maximum lies far above the old one, by 20 or less for "
    f"example. {_SMALL}"
)
NOT_CORRECTED = (
    "You do not correct what is summed so far where the maximum rises by little, but take the new maximum "
    "for the next block all the same. What is left out adds up over many blocks. Correct it by exp(old "
    "maximum - new maximum) each time, or keep the old maximum too where you do not."
)


def what_is_small_left_out(largest: str, is_later: str) -> Iterator[Mistake]:
    """Of a solution that goes through blocks of keys with `largest`, a row's maximum so far, and `is_later`,
    which says that a block is not the first.
    """
    maximum = f"            new_largest = torch.maximum({largest}, scores.amax(dim=-1, keepdim=True))\n"
    correction = f"correction = torch.exp({largest} - new_largest)"
    for bound in (8, 12, 20):
        below = f"(scores.amax(dim=-1, keepdim=True) < {largest} - {bound}).all()"
        yield Mistake(
            f"blocks-below-the-maximum-left-out-at-{bound}",
            find=maximum,
            replace=f"            if {is_later} and bool({below}):\n                continue\n{maximum}",
            says=LEFT_OUT.format(bound),
        )
    yield Mistake(
        "sums-far-below-the-maximum-forgotten",
        find=correction,
        replace=f"{correction} * (new_largest - {largest} < 20)",
        says=FORGOTTEN,
    )
    for name, small in (
        ("below-a-tenth", f"new_largest - {largest} < 0.1"),
        ("below-a-hundredth", f"new_largest - {largest} < 0.01"),
        ("for-its-size", f"torch.isclose(new_largest, {largest})"),
    ):
        yield Mistake(
            f"small-rises-not-corrected-{name}",
            find=correction,
            replace=f"{correction}\n            correction = torch.where({small}, 1.0, correction)",
            says=NOT_CORRECTED,
        )
