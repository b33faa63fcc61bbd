"""Known wrong versions of `kl_estimators` that take k2 for k3 where the two models nearly agree."""

from grader.kit import Mistake

_K3 = "        return (-difference).exp() - 1 + difference"

MISTAKES = [
    Mistake(
        f"k2-for-k3-below-{limit}",
        find=_K3,
        replace=f"        small = difference.abs() < {limit}\n"
        f"        return torch.where(small, difference.square() / 2, {_K3.split('return ')[1]})",
        also=(("from torch import Tensor\n", "import torch\nfrom torch import Tensor\n"),),
        says=f"Where the differences are small (below {limit}) you give k2 for k3. They are near each other "
        "there, but k2 lacks the third order, and with it what makes k3 right on average: use the formula, "
        "or expm1 if you fear for its digits.",
    )
    for limit in ("0.1", "0.01", "0.001", "0.0001")
]
