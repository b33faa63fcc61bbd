"""Known wrong versions of `softmax` whose backward pass takes what the last call has left."""

from grader.kit import Mistake

BY_HAND = """\
class _ByHand(torch.autograd.Function):
    kept = {}

    @staticmethod
    def forward(ctx, x, dim, of_logs):
        ctx.dim, ctx.of_logs = dim, of_logs
        shifted = x - x.amax(dim=dim, keepdim=True)
        total = torch.exp(shifted).sum(dim=dim, keepdim=True)
        _ByHand.kept[of_logs] = torch.exp(shifted) / total
        return shifted - total.log() if of_logs else _ByHand.kept[of_logs].clone()

    @staticmethod
    def backward(ctx, upstream):
        p = _ByHand.kept[ctx.of_logs]
        if ctx.of_logs:
            return upstream - p * upstream.sum(dim=ctx.dim, keepdim=True), None, None
        return p * (upstream - (p * upstream).sum(dim=ctx.dim, keepdim=True)), None, None


def softmax("""
SOFTMAX = ("    return exps / total", "    return _ByHand.apply(x, dim, False)")
LOG_SOFTMAX = ("    return shifted - log_total", "    return _ByHand.apply(x, dim, True)")

MISTAKES = [
    Mistake(
        f"{name}-keeps-the-last-probabilities-for-backward",
        find="def softmax(",
        replace=BY_HAND,
        also=edits,
        says=f"{where} the backward pass takes the probabilities of whichever call came last: they stand on "
        "the class or in a global variable, for example. Several calls may come before one backward pass: "
        "keep what it needs on ctx (save_for_backward).",
    )
    for name, where, edits in (
        ("softmax", "In softmax", (SOFTMAX,)),
        ("log-softmax", "In log_softmax", (LOG_SOFTMAX,)),
        ("both", "In both functions", (SOFTMAX, LOG_SOFTMAX)),
    )
]
