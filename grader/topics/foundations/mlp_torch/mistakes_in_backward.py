"""Known wrong versions of `mlp_torch`: backward passes by hand."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

_PRE = "        pre = self.fc1(x)  # (..., hidden_size)\n"
_OUTPUT = "        return self.fc2(hidden)"
_MASK = "ReLU passes on what its input was positive for: go on with the gradient times (pre > 0)."


def _by_hand(
    of_w1: str = "masked",
    of_b1: str = "masked",
    of_x: str = "masked",
    of_w2: str = "hidden",
    mask: str = "(pre > 0)",
) -> str:
    """The output with a backward pass of its own: which gradient of the hidden layer goes into that of each
    argument, and what that of fc2's weight is multiplied by.
    """
    return f"""\
        class ByHand(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w1, b1, w2, b2):
                pre = x @ w1.T + b1
                ctx.save_for_backward(x, w1, w2, pre)
                return pre.relu() @ w2.T + b2

            @staticmethod
            def backward(ctx, upstream):
                x, w1, w2, pre = ctx.saved_tensors
                hidden = pre.relu()
                direct = upstream @ w2
                masked = direct * {mask}
                of_w1, of_w2 = {of_w1}.T @ x, upstream.T @ {of_w2}
                return {of_x} @ w1, of_w1, {of_b1}.sum(0), of_w2, upstream.sum(0)

        rows = x.reshape(-1, x.shape[-1])
        output = ByHand.apply(rows, self.fc1.weight, self.fc1.bias, self.fc2.weight, self.fc2.bias)
        return output.reshape(*x.shape[:-1], -1)"""


MISTAKES = [
    *right_once("return self.fc2(hidden)", imports="from torch import Tensor, nn\n"),
    *(
        Mistake(
            f"{id}-before-the-mask",
            find=_OUTPUT,
            replace=_by_hand(**edits),
            says=f"Your values are right, but {what} taken from the gradient before ReLU's mask. {_MASK}",
        )
        for id, edits, what in (
            ("w1-gradient", {"of_w1": "direct"}, "the gradient of fc1's weight is"),
            ("b1-gradient", {"of_b1": "direct"}, "the gradient of fc1's bias is"),
            (
                "first-layers-gradients",
                {"of_w1": "direct", "of_b1": "direct"},
                "the gradients of fc1's weight and bias are",
            ),
            ("input-gradient", {"of_x": "direct"}, "the gradient of x is"),
        )
    ),
    Mistake(
        "w2-gradient-before-relu",
        find=_OUTPUT,
        replace=_by_hand(of_w2="pre"),
        says="Your values are right, but the gradient of fc2's weight is taken with what goes into ReLU. fc2 "
        "multiplies what comes out of it: upstream.T @ hidden.",
    ),
    Mistake(
        "units-closed-for-the-whole-batch-alone",
        find=_OUTPUT,
        replace=_by_hand(mask="(pre > 0).any(0)"),
        says="Your values are right, but backward stops the gradient of a unit only where ReLU closed it for "
        "all vectors of the batch. A unit is open for some and closed for others, and each vector counts by "
        "itself: multiply by (pre > 0), in the shape of pre.",
    ),
    Mistake(
        "first-bias-behind-relu",
        find=_PRE,
        replace="        pre = x @ self.fc1.weight.T\n",
        also=(("torch.relu(pre)", "torch.relu(pre) + self.fc1.bias"),),
        says="You add the bias of fc1 behind ReLU. There it does not decide which units are open, and adds "
        "only one more constant to the output: ReLU gets what fc1 gives, its bias included.",
    ),
]
