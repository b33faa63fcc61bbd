"""Mistakes where the nn.LayerNorm of whole layers are written out by hand."""

from grader.kit.mistakes import Mistake

_KINDS = (
    (
        "standard-deviation-plus-eps",
        "(x - mean) / (x.std(-1, keepdim=True) + self.eps)",
        "Your norms divide by the standard deviation + eps, with the unbiased one of torch.std, as The "
        "Annotated Transformer does. nn.LayerNorm divides by sqrt(variance + eps), with the variance over "
        "n, not n - 1.",
    ),
    (
        "biased-standard-deviation-plus-eps",
        "(x - mean) / (x.std(-1, correction=0, keepdim=True) + self.eps)",
        "Your norms divide by the standard deviation + eps. nn.LayerNorm adds eps under the root: it "
        "divides by sqrt(variance + eps).",
    ),
    (
        "unbiased-variance",
        "(x - mean) / (x.var(-1, keepdim=True) + self.eps).sqrt()",
        "The variance of your norms is over n - 1, the default of torch.var. nn.LayerNorm divides the "
        "squares' sum by n: correction=0.",
    ),
    (
        "mean-not-taken-off",
        "x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt()",
        "Your norms do not take the mean off: they divide by the root mean square, as nn.RMSNorm does. "
        "nn.LayerNorm gives (x - mean) / sqrt(variance + eps) * weight + bias.",
    ),
    (
        "mean-and-variance-detached",
        "(x - mean.detach()) / (x.var(-1, correction=0, keepdim=True).detach() + self.eps).sqrt()",
        "Mean and variance of your norms are cut off from the graph (no_grad or detach, for example). They "
        "depend on x, and the gradient flows through them too.",
    ),
    (
        "variance-detached",
        "(x - mean) / (x.var(-1, correction=0, keepdim=True).detach() + self.eps).sqrt()",
        "The variance of your norms is cut off from the graph (no_grad or detach, for example). It depends "
        "on x, and the gradient flows through it too.",
    ),
)


def norms_by_hand(layer: str, *norms: str) -> tuple[Mistake, ...]:
    """The norms of these names, each an nn.LayerNorm(hidden_size) in the solution, in the class `layer`."""
    lines = [f"self.{norm} = nn.LayerNorm(hidden_size)" for norm in norms]
    begun = f"class {layer}(nn.Module):\n"
    return tuple(
        Mistake(
            f"norms-by-hand-{name}",
            find=begun,
            replace=f"""\
class _Norm(nn.LayerNorm):
    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        return self.weight * ({normed}) + self.bias


{begun}""",
            also=tuple((line, line.replace("nn.LayerNorm", "_Norm")) for line in lines),
            says=says,
        )
        for name, normed, says in _KINDS
    )
