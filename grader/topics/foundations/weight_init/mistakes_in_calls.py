"""Known wrong versions of `weight_init`: the grad mode afterwards, a second call, and a wide cut normal."""

from grader.kit import Mistake

LINES = {
    "xavier_uniform_": "    return weight.uniform_(-limit, limit)",
    "kaiming_normal_": "    return weight.normal_(0.0, std)",
}
BERT = "    if isinstance(module, nn.Linear | nn.Embedding):\n"
TRUNCATED = """\
    z = torch.randn_like({0})
    while (z.abs() > 2).any():
        z = torch.where(z.abs() > 2, torch.randn_like(z), z)
"""

MISTAKES = [
    *(
        Mistake(
            f"{function.rstrip('_').replace('_', '-')}-grad-mode-switched-on",
            find=f"@torch.no_grad()\ndef {function}(",
            replace=f"def {function}(",
            also=(
                (
                    line,
                    "    torch.set_grad_enabled(False)\n"
                    f"{line.replace('return ', '')}\n    torch.set_grad_enabled(True)\n    return weight",
                ),
            ),
            says=f"You switch gradients on at the end of {function}, also where they were off before. "
            "PyTorch's grad mode stays as it was: torch.no_grad() sees to that.",
        )
        for function, line in LINES.items()
    ),
    Mistake(
        "kaiming-truncated-and-widened",
        find=LINES["kaiming_normal_"],
        replace=TRUNCATED.format("weight") + "    return weight.copy_(z * std / 0.87962566103423978)",
        says="Your kaiming_normal_ is Keras' and JAX's he_normal: cut off at two deviations, and widened "
        "so that the variance is right again. Here it is the normal distribution itself, which has no end.",
    ),
]
