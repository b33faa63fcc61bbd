"""Known wrong versions of `cross_entropy`: by what label smoothing divides, and both branches of a where."""

from grader.kit import Mistake

_SMOOTH = "    smooth_loss = -(weight * log_probs).mean(dim=1)  # (batch,)\n"
_LOG_PROBS = "    log_probs = shifted - shifted.exp().sum(dim=1, keepdim=True).log()  # (batch, classes)\n"

MISTAKES = [
    Mistake(
        "smoothed-over-the-rows",
        find=_SMOOTH,
        replace="    smooth_loss = -(weight * log_probs).sum(dim=1) / len(logits)\n",
        says="Label smoothing divides the sum over the classes by the number of rows in your answer. It is "
        "the number of classes: s / classes * sum.",
    ),
    Mistake(
        "smoothed-over-the-kept-rows",
        find=_SMOOTH,
        replace="    smooth_loss = -(weight * log_probs).sum(dim=1) / kept.sum()\n",
        says="Label smoothing divides the sum over the classes by the number of kept rows in your answer. It "
        "is the number of classes: s / classes * sum.",
    ),
    Mistake(
        "log-of-zero-in-the-other-branch",
        find=_LOG_PROBS,
        replace="""\
    exps = shifted.exp()
    total = exps.sum(dim=1, keepdim=True)
    probs = exps / total
    log_probs = torch.where(probs > 0, probs.log(), shifted - total.log())
""",
        also=(("from torch import Tensor\n", "import torch\nfrom torch import Tensor\n"),),
        says="Your losses are right, but where a probability underflows to 0 the gradient is NaN: "
        "torch.where takes another branch, and still goes backwards through log(0), where 0 * inf is NaN. "
        "Do not take the logarithm there: shifted - log(sum(exp(shifted))) is right everywhere.",
    ),
]
