"""Known wrong versions of `activations` with backward passes of one's own."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import right_once

_IMPORTS = "from torch import Tensor\n"
_RESULTS = {
    "sigmoid": "torch.where(x >= 0, 1 / (1 + exp_minus), exp_plus / (1 + exp_plus))",
    "tanh": "2 * sigmoid(2 * x) - 1",
    "relu": "x.clamp(min=0)",
    "leaky_relu": "torch.where(x > 0, x, negative_slope * x)",
    "elu": "torch.where(x > 0, x, negative)",
    "silu": "x * sigmoid(x)",
    "gelu": "x * phi",
    "gelu_tanh": "0.5 * x * (1 + tanh(inner))",
}

MISTAKES = [
    *(mistake for name, result in _RESULTS.items() for mistake in right_once(f"return {result}", name=name)),
    *(
        Mistake(
            f"kept-for-backward-beside-the-call-of-{name}",
            find=f"def {name}(x: ",
            replace=f"""\
def {name}(x, *args, **kwargs):
    return _Kept.apply(x, lambda leaf: _{name}(leaf, *args, **kwargs))


def _{name}(x: """,
            also=(
                (
                    _IMPORTS,
                    f"""{_IMPORTS}

class _Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, function):
        leaf = x.detach().requires_grad_()
        with torch.enable_grad():
            result = function(leaf)
        (_Kept.slope,) = torch.autograd.grad(result.sum(), leaf)
        return result.detach()

    @staticmethod
    def backward(ctx, grad):
        return grad * _Kept.slope, None

""",
                ),
            ),
            says=f"What your backward pass of {name} needs is kept in one place for all calls (on the class, "
            "in a global, say). With a second call before the backward pass of the first, that gets what "
            "belongs to the second. Keep it in ctx: save_for_backward.",
        )
        for name in _RESULTS
    ),
]
