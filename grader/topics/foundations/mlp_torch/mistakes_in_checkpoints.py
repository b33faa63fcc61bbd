"""Known wrong versions of `mlp_torch` whose parameters get no gradient where the input needs none."""

from grader.kit import Mistake

IMPORT = "from torch import Tensor, nn\n"
BODY = """\
        # nn.Linear acts on the last dimension and leaves the others alone: nothing to flatten.
        pre = self.fc1(x)  # (..., hidden_size)
        # Without ReLU the two layers would be one: a product of matrices is a matrix.
        hidden = torch.relu(pre)
        return self.fc2(hidden)  # (..., output_size)
"""

WHOLE = "checkpoint(lambda x: self.fc2(torch.relu(self.fc1(x))), x, use_reentrant=True)"

MISTAKES = [
    Mistake(
        f"checkpointed-reentrantly{name}",
        find=BODY,
        replace=f"        return {result}\n",
        also=((IMPORT, f"{IMPORT}from torch.utils.checkpoint import checkpoint\n"),),
        says=f"{where} get no gradient where x itself requires none, as the first layer's input in "
        "training. A checkpoint with use_reentrant=True does that, for example: it looks at its "
        "arguments only, and not at the parameters inside. Take use_reentrant=False, or no checkpoint.",
    )
    for name, where, result in (
        ("", "Parameters", WHOLE),
        (
            "-in-the-hidden-layer",
            "Parameters",
            "self.fc2(checkpoint(lambda x: torch.relu(self.fc1(x)), x, use_reentrant=True))",
        ),
        (
            "-for-many-vectors",
            "With thousands of vectors parameters",
            f"{WHOLE} if x.numel() > 1000 * x.shape[-1] else self.fc2(torch.relu(self.fc1(x)))",
        ),
    )
]
