"""Known wrong versions of `cross_entropy` in which large logits stay finite, and become wrong."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"max-of-everything-and-a-floor{ending}",
        find="logits.amax(dim=1, keepdim=True)",
        replace=f"logits.max(){detached}",
        also=(
            ("from jaxtyping", "import torch\nfrom jaxtyping"),
            (
                "shifted.exp().sum(dim=1, keepdim=True).log()",
                "shifted.exp().sum(dim=1, keepdim=True).clamp_min(torch.finfo(logits.dtype).tiny).log()",
            ),
        ),
        says="You subtract the maximum of all logits, and clamp the sum of the exponentials. In a row far "
        "below that maximum all of them are 0, and what is left of the loss is the distance. Subtract each "
        "row's own maximum, amax(dim=1, keepdim=True): then the sum is at least 1.",
    )
    for ending, detached in (("", ""), ("-detached", ".detach()"))
]
