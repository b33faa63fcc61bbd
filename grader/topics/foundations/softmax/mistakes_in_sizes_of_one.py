"""Known wrong versions of `softmax` whose result has fewer dimensions than x where a size is 1."""

from grader.kit import Mistake

SOFTMAX = ("return exps / total", "return (exps / total).squeeze()")
LOG_SOFTMAX = ("return shifted - log_total", "return (shifted - log_total).squeeze()")

MISTAKES = [
    Mistake(
        f"{name}-squeezed",
        find=edits[0][0],
        replace=edits[0][1],
        also=edits[1:],
        says=f"{where} all dimensions of size 1 are missing in your result: squeeze() without a dimension "
        "takes them out, for example. A size of 1 is a size like any other: the result has the shape of x.",
    )
    for name, where, edits in (
        ("softmax", "In softmax", (SOFTMAX,)),
        ("log-softmax", "In log_softmax", (LOG_SOFTMAX,)),
        ("both", "In both functions", (SOFTMAX, LOG_SOFTMAX)),
    )
]
