"""Known wrong versions of `softmax` in which equal largest logits count once."""

from grader.kit import Mistake

_SUM = "    total = exps.sum(dim=dim, keepdim=True)"
_LOG_SUM = "    log_total = torch.exp(shifted).sum(dim=dim, keepdim=True).log()"
_REST = "{0}.masked_fill({1} == 0, 0.0).sum(dim=dim, keepdim=True)"
_OF_EXPS = (_SUM, f"    total = 1 + {_REST.format('exps', '(x - largest)')}")
_OF_LOGS = (_LOG_SUM, f"    log_total = torch.log1p({_REST.format('torch.exp(shifted)', 'shifted')})")

MISTAKES = [
    Mistake(
        f"{name}equal-largest-count-once",
        find=first[0],
        replace=first[1],
        also=also,
        says=f"Where several logits of a slice are the largest {where} counts only one of them: you take its "
        "1 out of the sum, for example (for log1p), by asking which logits equal the maximum. Each of them "
        "counts.",
    )
    for name, where, first, also in (
        ("", "each of your functions", _OF_EXPS, (_OF_LOGS,)),
        ("softmax-", "your softmax", _OF_EXPS, ()),
        ("log-", "your log_softmax", _OF_LOGS, ()),
    )
]
