"""Known wrong versions of `ffn` whose activations have a backward pass of their own, with another slope."""

from grader.kit import Mistake

CLASS = "class FeedForward(nn.Module):\n"
RELU = '    "relu": F.relu,\n'
GELU = '    "gelu": F.gelu,\n'
TANH = '    "gelu_tanh": partial(F.gelu, approximate="tanh"),\n'

SHARE = "(z / 2**0.5).erf().add(1) / 2"
BELL = "torch.exp(-z * z / 2) / (2 * torch.pi) ** 0.5"
TANHS = "torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z**3))"
INNER = "(2 / torch.pi) ** 0.5 * (1 + 3 * 0.044715 * z * z)"


def _of_tanh(inner: str = INNER, before: str = f"(1 - {TANHS} ** 2)") -> str:
    """The slope of the tanh approximation, from those of its parts."""
    return f"(1 + {TANHS}) / 2 + z / 2 * {before} * {inner}"


def _by_hand(slope: str) -> str:
    """A function of one's own: the values of `activation`, and this gradient."""
    return f"""\
class _ByHand(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, activation):
        ctx.save_for_backward(z)
        return activation(z)

    @staticmethod
    def backward(ctx, gradient):
        (z,) = ctx.saved_tensors
        return gradient * ({slope}), None


"""


WRONG = (
    (
        "gelu-tanh",
        TANH,
        "it is (1 + t) / 2 + z / 2 * (1 - t**2) * inner, with the tanh t and an inner slope of "
        "sqrt(2 / π) * (1 + 3 * 0.044715 * z**2)",
        (
            ("without-the-three", _of_tanh(INNER.replace("3 * ", "")), "inner lacks the 3 of the cube"),
            ("without-the-cube", _of_tanh("(2 / torch.pi) ** 0.5"), "inner lacks the part of the cube"),
            ("without-the-root", _of_tanh(INNER.split(" * ", 1)[1]), "inner lacks sqrt(2 / π)"),
            ("without-inner", _of_tanh("1"), "inner is left out"),
            ("of-the-factor-left-out", _of_tanh("0"), "the second part, of the tanh, is left out"),
            ("of-the-tanh-not-squared", _of_tanh(before=f"(1 - {TANHS})"), "t is not squared"),
            ("of-the-exact-one", f"{SHARE} + z * {BELL}", "it is that of the exact GELU"),
        ),
    ),
    (
        "gelu",
        GELU,
        "it is Φ(z) + z φ(z), where φ(z) is exp(-z**2 / 2) / sqrt(2 π)",
        (
            ("of-the-factor-left-out", SHARE, "the second part is left out"),
            ("without-z", f"{SHARE} + {BELL}", "φ lacks its z"),
            ("without-two-pi", f"{SHARE} + z * torch.exp(-z * z / 2)", "φ lacks 1 / sqrt(2 π)"),
            ("without-the-half", f"{SHARE} + z * {BELL.replace('z / 2)', 'z)')}", "φ lacks the half of z**2"),
            ("of-the-approximation", _of_tanh(), "it is that of the tanh approximation"),
        ),
    ),
    (
        "relu",
        RELU,
        "it is 1 above 0 and 0 below",
        (("of-one", "1", "it is 1 everywhere"),),
    ),
)

MISTAKES = [
    Mistake(
        f"{name}-slope-{id}",
        find=line,
        replace=line.replace(": ", ": lambda z: _ByHand.apply(z, ").replace(",\n", "),\n"),
        also=((CLASS, _by_hand(slope) + CLASS), ("import torch.nn", "import torch\nimport torch.nn")),
        says=f'Your values are right, but the slope of "{name.replace("-", "_")}" in your backward pass is '
        f"not: {what}. With the hidden value z {right}.",
    )
    for name, line, right, slopes in WRONG
    for id, slope, what in slopes
]
