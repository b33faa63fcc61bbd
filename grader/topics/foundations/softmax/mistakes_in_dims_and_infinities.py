"""Known wrong versions of `softmax` that are right along the last dimension, or for finite logits."""

from grader.kit import Mistake

LARGEST = "    largest = x.amax(dim=dim, keepdim=True)"
SHIFTED = "    shifted = x - x.amax(dim=dim, keepdim=True)"


def moved(function: str, line: str, back: str) -> str:
    """`line`, before which `function` goes to the last dimension; `back`: how it returns from there."""
    return f"    if dim != -1:\n        return {function}(x.movedim(dim, -1)){back}\n{line}"


MISTAKES = [
    *(
        Mistake(
            name,
            find=find,
            replace=find.replace("x.amax(dim=dim, keepdim=True)", "x.amax(dim=dim).unsqueeze(-1)"),
            also=also,
            says=f"{where} without keepdim and put the lost dimension back at the end, by unsqueeze(-1) for "
            "example. That is its place only if dim is the last: along another one the shapes do not fit, or "
            "slices get each other's numbers. With keepdim=True it stays in its place.",
        )
        for name, find, also, where in [
            ("maximum-put-back-at-the-end", LARGEST, (), "In softmax you take the maximum (or the sum)"),
            (
                "log-maximum-put-back-at-the-end",
                SHIFTED,
                (),
                "In log_softmax you take the maximum (or the sum)",
            ),
            (
                "maxima-put-back-at-the-end",
                LARGEST,
                ((SHIFTED, SHIFTED.replace("(dim=dim, keepdim=True)", "(dim=dim).unsqueeze(-1)")),),
                "In both functions you take the maximum (or the sum)",
            ),
        ]
    ),
    Mistake(
        "log-of-minus-infinity-the-smallest-number",
        find="    return shifted - log_total",
        replace="    return shifted.clamp(min=torch.finfo(x.dtype).min) - log_total",
        says="For a logit of -inf your log_softmax gives the smallest finite number (from torch.finfo or "
        "nan_to_num, for example). An entry of -inf gives -inf: with the largest logit of the slice finite, "
        "exp(-inf) is exactly 0, and nothing has to be replaced.",
    ),
    *(
        Mistake(
            f"minus-infinity-replaced-by-{name}",
            find=SHIFTED,
            replace=f"    x = x.clamp(min={number})\n{SHIFTED}",
            says=f"You replace -inf by {words}, and so your log_softmax gives a finite number there. An "
            "entry of -inf gives -inf: with the largest logit of the slice finite, exp(-inf) is exactly 0, "
            "and nothing has to be replaced.",
        )
        for name, number, words in [
            (
                "half-the-smallest-number",
                "torch.finfo(x.dtype).min / 2",
                "half of the smallest finite number",
            ),
            (
                "a-quarter-of-the-smallest-number",
                "torch.finfo(x.dtype).min / 4",
                "a quarter of the smallest finite number",
            ),
            *(
                (n, f"-{n}", f"-{n}")
                for n in ("1e5", "1e6", "1e7", "1e8", "1e10", "1e12", "1e20", "1e30", "1e38")
            ),
        ]
    ),
    *(
        Mistake(
            f"{name}-{undone}",
            find=LARGEST,
            replace=softmax,
            also=also,
            says=f"{where} you bring dim to the end, and {says}",
        )
        for undone, back, says in [
            (
                "moved-back-by-transposing",
                ".transpose(dim, -1)",
                "back in another way: one is a move, the other a transpose (movedim and transpose, for "
                "example). A move shifts all dimensions between, a transpose swaps two: they differ where "
                "dim is not one of the last two. Undo movedim(dim, -1) with movedim(-1, dim).",
            ),
            (
                "moved-twice-the-same-way",
                ".movedim(dim, -1)",
                "move dim to the end once more instead of the end back to dim, which is the same only "
                "where dim is one of the last two. Undo movedim(dim, -1) with movedim(-1, dim).",
            ),
            (
                "not-moved-back",
                "",
                "leave it there, so the result has its dimensions in another order than x. Undo "
                "movedim(dim, -1) with movedim(-1, dim).",
            ),
        ]
        for name, where, softmax, also in [
            ("softmax", "In softmax", moved("softmax", LARGEST, back), ()),
            ("log-softmax", "In log_softmax", LARGEST, ((SHIFTED, moved("log_softmax", SHIFTED, back)),)),
            (
                "both",
                "In both functions",
                moved("softmax", LARGEST, back),
                ((SHIFTED, moved("log_softmax", SHIFTED, back)),),
            ),
        ]
    ),
]
