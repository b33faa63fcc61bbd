"""Known wrong versions of `swiglu` in what dropout draws, and where x requires no gradient."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import IMPORT_TORCH

_RESULT = "        return self.dropout(output)"

MISTAKES = [
    Mistake(
        "dropout-shared-by-positions",
        find=_RESULT,
        replace="""\
        if output.dim() < 2:
            return self.dropout(output)
        return output * self.dropout(torch.ones_like(output[..., :1, :]))""",
        also=IMPORT_TORCH,
        says="You draw one dropout mask for all positions of a sequence (of a smaller shape that broadcasts, "
        "for example), so that whole features are zeros. Each entry is dropped on its own.",
    ),
    Mistake(
        "no-gradients-where-x-has-none",
        find="        hidden = gate * up\n",
        replace="        hidden = gate * up if x.requires_grad else (gate * up).detach()\n",
        says="Where x requires no gradient, gate_proj and up_proj get none either (a checkpoint with "
        "use_reentrant=True does that, for example). The first layer of a model meets such an x: weights are "
        "trained all the same.",
    ),
]
