"""Known wrong versions of `softmax` that add up, in one pass, what counts from different maxima."""

from grader.kit import Mistake

LARGEST = "    largest = x.amax(dim=dim, keepdim=True)"
EXPS = "    exps = torch.exp(x - largest)"
TOTAL = "    total = exps.sum(dim=dim, keepdim=True)"
SHIFTED = "    shifted = x - x.amax(dim=dim, keepdim=True)"
LOG_TOTAL = "    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log()"
TERMS = "torch.exp(x - running).sum(dim=dim, keepdim=True)"


def _running(values: str, first: str) -> str:
    """The running maximum, and the last of it."""
    return (
        f"    running = {values}.cummax(dim=dim).values{first}\n"
        "    largest = running.narrow(dim, x.shape[dim] - 1, 1)"
    )


MISTAKES = [
    Mistake(
        f"{place}-not-rescaled-in-one-pass{constant}{start}",
        find=edits[0][0],
        replace=edits[0][1],
        also=edits[1:],
        says=f"{where} each exponential counts from the largest logit up to there, and the sum of those "
        "before is left as it is when the maximum grows. All have to count from the same one: multiply that "
        "sum by exp(old maximum - new maximum), or take the maximum of the whole slice first.",
    )
    for constant, values in (("", "x"), ("-without-its-gradient", "x.detach()"))
    for start, first in (("", ".clamp(min=torch.finfo(x.dtype).min)"), ("-from-minus-infinity", ""))
    for softmax in [((LARGEST, _running(values, first)), (TOTAL, f"    total = {TERMS}"))]
    for log in [
        (
            (SHIFTED, _running(values, first) + "\n    shifted = x - largest"),
            (LOG_TOTAL, f"    log_total = {TERMS}.log()"),
        )
    ]
    for place, where, edits in (
        ("both", "In both functions", (*softmax, *log)),
        ("softmax", "In softmax", softmax),
        ("log-softmax", "In log_softmax", log),
    )
]
