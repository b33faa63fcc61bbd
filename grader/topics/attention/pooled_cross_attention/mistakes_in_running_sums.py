"""Known wrong versions of `pooled_cross_attention` that take windows as differences of running sums."""

from grader.kit import Mistake

POOLED = "        pooled = total / count.clamp(min=1).unsqueeze(-1)\n"

# What is before the first token is looked up at -1, the last place: the sum of all.
FIRST = "        total = torch.cat((total[:, :1] - total.sum(dim=1, keepdim=True), total[:, 1:]), dim=1)\n"
COUNTS = "torch.cat((count[:, :1] - count.sum(dim=1, keepdim=True), count[:, 1:]), dim=1)"

MISTAKES = [
    Mistake(
        f"first-window-from-the-last-place{ending}",
        find=POOLED,
        replace=FIRST + replace,
        says="The mean of the first window is wrong: the sums of your windows are differences of a running "
        "sum, for example, at end - 1 and start - 1, and for the first window start - 1 is -1, which Python "
        "counts from the end. Nothing is before it: put a 0 in front of the running sum.",
    )
    for ending, replace in (
        (
            "",
            POOLED.replace("count", "counts").replace("        ", f"        counts = {COUNTS}\n        ", 1),
        ),
        ("-and-hidden", f"        count = {COUNTS}\n{POOLED}"),
        ("-and-counted-right", POOLED),
    )
]
