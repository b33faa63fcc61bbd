"""Known wrong versions of `softmax_backward` that keep probabilities from 0."""

from grader.kit import Mistake

_SUM = "    weighted_sum = (output * grad_output).sum(dim=dim, keepdim=True)\n"

MISTAKES = [
    Mistake(
        "probabilities-kept-from-zero",
        find=_SUM,
        replace=f"    output = output.clamp(min=torch.finfo(output.dtype).eps)\n{_SUM}",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says="In softmax_backward you keep probabilities away from 0 (by an eps), so masked entries get a "
        "gradient: a small one, and less so where the upstream one is large. It is 0 where the output is.",
    ),
]
