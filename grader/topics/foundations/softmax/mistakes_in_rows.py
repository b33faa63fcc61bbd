"""Known wrong versions of `softmax` that reshape the result, whose dim is at the end, and move nothing."""

from grader.kit import Mistake

LARGEST = "    largest = x.amax(dim=dim, keepdim=True)"
SHIFTED = "    shifted = x - x.amax(dim=dim, keepdim=True)"


def shaped(function: str, line: str, there: str, back: str) -> str:
    """`line`, before which `function` goes to the last dimension by `there`, and shapes back by `back`."""
    return f"    if dim != -1:\n        return {function}(x.{there}).{back}(x.shape)\n{line}"


def shaped_first(function: str, line: str, move: str) -> str:
    """`line`, before which `function` goes to the last dimension by `move`, shapes, and goes back."""
    result = f"{function}(x.{move}(dim, -1)).reshape(x.shape).{move}(-1, dim)"
    return f"    if dim not in (-1, x.dim() - 1):\n        return {result}\n{line}"


RAISES = " (or it raises, where they do not lie in this order in memory)"
NO_COPY = """\
    with torch.no_grad():
        rows = x.movedim(dim, -1).contiguous()
        rows -= rows.amax(dim=-1, keepdim=True)
"""
CUT = "reshape(-1, x.shape[dim])"
PLACES = (
    ("softmax", "In softmax", "softmax", LARGEST),
    ("log-softmax", "In log_softmax", "log_softmax", SHIFTED),
    ("both", "In both functions", "softmax", LARGEST),
)

MISTAKES = [
    *(
        Mistake(
            f"{name}-{how}-without-moving-back",
            find=find,
            replace=shaped(function, find, there, back),
            also=((SHIFTED, shaped("log_softmax", SHIFTED, there, back)),) if name == "both" else (),
            says=f"{where} you bring dim to the end, and then only give the result the shape of x: reshape "
            f"and view move nothing, so numbers come to other places than they had{raises}. Give it the "
            "shape that it had with dim at the end, and undo the move: movedim(-1, dim) undoes "
            "movedim(dim, -1), and a transpose undoes itself.",
        )
        for how, there, back, raises in (
            ("reshaped", "movedim(dim, -1)", "reshape", ""),
            ("reshaped-transposed", "transpose(dim, -1)", "reshape", ""),
            ("rows-viewed", f"movedim(dim, -1).{CUT}", "view", RAISES),
            ("rows-viewed-transposed", f"transpose(dim, -1).{CUT}", "view", RAISES),
            ("viewed", "movedim(dim, -1)", "view", RAISES),
        )
        for name, where, function, find in PLACES
    ),
    *(
        Mistake(
            f"{name}-shaped-before-{how}-back",
            find=find,
            replace=shaped_first(function, find, move),
            also=((SHIFTED, shaped_first("log_softmax", SHIFTED, move)),) if name == "both" else (),
            says=f"{where} you bring dim to the end, give the result the shape of x, and then undo the move, "
            "which moves what is in its place already. Before the move is undone the shape is the one with "
            "dim at the end: keep that of the moved tensor, and reshape to it.",
        )
        for how, move in (("moving", "movedim"), ("transposing", "transpose"))
        for name, where, function, find in PLACES
    ),
    *(
        Mistake(
            f"{name}-cut-without-moving",
            find=find,
            replace=shaped(function, find, CUT, "reshape"),
            also=((SHIFTED, shaped("log_softmax", SHIFTED, CUT, "reshape")),) if name == "both" else (),
            says=f"{where} you cut x into rows of x.shape[dim] numbers that lie side by side. Slices "
            "along dim are that only where dim is the last one: bring it to the end first, movedim(dim, "
            "-1), and back afterwards, movedim(-1, dim).",
        )
        for name, where, function, find in PLACES
    ),
    *(
        Mistake(
            f"{name}-shifts-its-argument",
            find=edits[0][0],
            replace=edits[0][1],
            also=edits[1:],
            says=f"{where} you change the caller's x in place: an operation in place under torch.no_grad() "
            "does so, for example, or one on x.detach() or x.data, which share the memory of x. Make a new "
            "tensor: x - largest.",
        )
        for softmax in [((LARGEST, f"{LARGEST}\n    with torch.no_grad():\n        x -= largest"),)]
        for kept in [(("    exps = torch.exp(x - largest)", "    exps = torch.exp(x)"),)]
        for log in [
            (
                (
                    SHIFTED,
                    "    with torch.no_grad():\n        x -= x.amax(dim=dim, keepdim=True)\n    shifted = x",
                ),
            )
        ]
        for name, where, edits in (
            ("softmax", "In softmax", (*softmax, *kept)),
            ("log-softmax", "In log_softmax", log),
            ("each", "In both functions", (*softmax, *kept, *log)),
        )
    ),
    *(
        Mistake(
            f"{name}-shifts-what-it-takes-for-a-copy",
            find=find,
            replace=f"{NO_COPY}{find}",
            also=((SHIFTED, f"{NO_COPY}{SHIFTED}"),) if name == "both" else (),
            says=f"{where} you change the caller's x where it is contiguous and dim the last: contiguous() "
            "gives x itself there, and reshape, flatten, movedim and the like views of it, no copies. Make a "
            "new tensor: x - largest.",
        )
        for name, where, _, find in PLACES
    ),
]
