"""Known wrong versions of `softmax` where a logit is -inf, or takes the place of one."""

from collections.abc import Iterator

from grader.kit import Mistake

LARGEST = "    largest = x.amax(dim=dim, keepdim=True)"
SHIFTED = "    shifted = x - x.amax(dim=dim, keepdim=True)"
EXPS = "    exps = torch.exp(x - largest)"


def in_either(
    mistake_id: str, softmax: tuple[str, str], log: tuple[str, str], says: str
) -> Iterator[Mistake]:
    """In softmax, in log_softmax and in both: `softmax` and `log` are what to find and what to put there.
    `says` follows where it is.
    """
    for name, where, edits in [
        (mistake_id, "In both functions", (softmax, log)),
        (f"softmax-{mistake_id}", "In softmax", (softmax,)),
        (f"log-{mistake_id}", "In log_softmax", (log,)),
    ]:
        (find, replace), *also = edits
        yield Mistake(name, find=find, replace=replace, also=tuple(also), says=f"{where} {says}")


def before(line: str, step: str) -> tuple[str, str]:
    return line, f"    {step}\n{line}"


# What a running maximum gives that is still -inf when the first entry comes, which is -inf too.
UNDEFINED = 'torch.where(x.narrow(dim, 0, 1) == float("-inf"), float("nan"), {})'
# The same of a first block. However many are in it: where one has two or more at its start, it has 137.
FIRST = "x.narrow(dim, 0, min(x.shape[dim], 2)).amax(dim=dim, keepdim=True)"
BLOCK_UNDEFINED = UNDEFINED.replace("x.narrow(dim, 0, 1)", FIRST)
CLAMPED = "x = x.clamp(min=-1e4)"
FILLED = 'x = x.masked_fill(x == float("-inf"), -1e4)'

MISTAKES = [
    *in_either(
        "minus-infinity-at-the-start-is-nan",
        (EXPS, f"    largest = {UNDEFINED.format('largest')}\n{EXPS}"),
        (SHIFTED, f"    shifted = x - {UNDEFINED.format('x.amax(dim=dim, keepdim=True)')}"),
        "a slice whose first logit is -inf becomes NaN. In one pass with a running maximum, for example, "
        "that one is still -inf then, and exp(-inf - -inf) is NaN. Take the maximum of the whole slice "
        "first, or leave entries of -inf out of the running sum.",
    ),
    *in_either(
        "minus-infinity-in-the-first-block-is-nan",
        (EXPS, f"    largest = {BLOCK_UNDEFINED.format('largest')}\n{EXPS}"),
        (SHIFTED, f"    shifted = x - {BLOCK_UNDEFINED.format('x.amax(dim=dim, keepdim=True)')}"),
        "a long slice that begins with many -inf becomes NaN. In blocks with a running maximum, for example, "
        "that one is -inf after a first block of -inf alone, and exp(-inf - -inf) is NaN, which stays. Take "
        "the maximum of the whole slice first, or leave entries of -inf out of the running sum.",
    ),
    *in_either(
        "logits-bounded-by-minus-1e4",
        before(LARGEST, CLAMPED),
        before(SHIFTED, CLAMPED),
        "you bound the logits by -1e4 from below, so -inf is a logit like others: where the largest of a "
        "slice lies near -1e4 it gets a share, and logits below -1e4 become equal. exp(-inf) is exactly 0: "
        "with the largest logit of the slice finite, nothing has to be replaced.",
    ),
    *in_either(
        "minus-infinity-replaced-by-minus-1e4",
        before(LARGEST, FILLED),
        before(SHIFTED, FILLED),
        "you replace -inf by -1e4, which is a logit like others: where the largest of a slice lies near it, "
        "it gets a share. exp(-inf) is exactly 0: with the largest logit of the slice finite, nothing has "
        "to be replaced.",
    ),
]
