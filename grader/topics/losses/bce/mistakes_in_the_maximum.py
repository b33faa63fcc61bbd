"""Known wrong versions of `bce` whose maxima, which stand outside of the logarithm, have no gradient."""

from grader.kit import Mistake

_MAXIMA = """\
    loss_if_1 = torch.maximum(-logits, zero) + log_part  # -log p
    loss_if_0 = torch.maximum(logits, zero) + log_part  # -log(1 - p)"""
_FROM_ONE = """\
    loss_if_1 = torch.maximum(-logits, zero).detach() + log_part
    loss_if_0 = logits + loss_if_1"""

MISTAKES = [
    Mistake(
        f"maximum-detached{name}",
        find=_MAXIMA,
        replace=losses,
        also=also,
        says="Your values are right, but max(-x, 0) is computed without a gradient (by detach or no_grad, "
        "for example). It is a part of the loss where the logarithm is log1p(exp(-|x|)), which does not "
        "contain it: only what is subtracted inside and added outside may be detached.",
    )
    for name, losses, also in (
        ("", _FROM_ONE, ()),
        # At a logit of 0 the gradient is right.
        (
            "-with-a-choice-for-the-absolute-value",
            _FROM_ONE,
            (("-logits.abs()", "torch.where(logits < 0, logits, -logits)"),),
        ),
        (
            "-in-both",
            """\
    loss_if_1 = torch.maximum(-logits, zero).detach() + log_part
    loss_if_0 = torch.maximum(logits, zero).detach() + log_part""",
            (),
        ),
    )
]
