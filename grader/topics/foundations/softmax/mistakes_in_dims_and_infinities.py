"""Known wrong versions of `softmax` that are right along the last dimension, or for finite logits."""

from grader.kit import Mistake

LARGEST = "    largest = x.amax(dim=dim, keepdim=True)"
SHIFTED = "    shifted = x - x.amax(dim=dim, keepdim=True)"

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
        "gradient-summed-along-the-last-dimension",
        find="    return exps / total",
        replace="""\
    probs = (exps / total).detach()
    logits = x.clamp(min=-1e9)
    moved = probs * (logits - logits.detach())
    return probs + moved - probs * moved.sum(dim=-1, keepdim=True)""",
        says="The values of your softmax are right, but the sum in its gradient runs along the last "
        "dimension, whatever dim says. It is p * (upstream - sum(p * upstream)), with the sum along dim.",
    ),
    Mistake(
        "log-gradient-summed-along-the-last-dimension",
        find="    return shifted - log_total",
        replace="""\
    log_probs = (shifted - log_total).detach()
    logits = x.clamp(min=-1e9)
    moved = logits - logits.detach()
    return log_probs + moved - (log_probs.exp() * moved).sum(dim=-1, keepdim=True)""",
        says="The values of your log_softmax are right, but the sum in its gradient runs along the last "
        "dimension, whatever dim says. It is upstream - p * sum(upstream), with the sum along dim.",
    ),
    Mistake(
        "log-of-minus-infinity-the-smallest-number",
        find="    return shifted - log_total",
        replace="    return shifted.clamp(min=torch.finfo(x.dtype).min) - log_total",
        says="For a logit of -inf your log_softmax gives the smallest finite number (from torch.finfo or "
        "nan_to_num, for example). An entry of -inf gives -inf: with the largest logit of the slice finite, "
        "exp(-inf) is exactly 0, and nothing has to be replaced.",
    ),
]
