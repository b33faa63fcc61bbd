"""Known wrong versions of `layer_norm`: features in blocks, one shift for all rows, and what is shared."""

from grader.kit import Mistake
from grader.kit.families.norms.block_mistakes import mean_of_means

CENTERED = "        centered = x - mean\n"
VARIANCE = "centered.square().mean(dim=-1, keepdim=True)"

MISTAKES = [
    *mean_of_means(
        "x.mean(dim=-1, keepdim=True)",
        VARIANCE,
        mean=lambda text: text.removesuffix(".mean(dim=-1, keepdim=True)"),
    ),
    *(
        Mistake(
            f"variance-by-moments-{name}",
            find=VARIANCE,
            replace=f"torch.relu((x - ({shift})).square().mean(dim=-1, keepdim=True)"
            f" - (x - ({shift})).mean(dim=-1, keepdim=True).square())",
            says="You take the variance as E[y²] - E[y]², with one shift for all vectors together (their "
            "mean, or the first one's, for example). Where these differ and are large it helps none of them. "
            "Subtract each vector's own mean.",
        )
        for name, shift in (
            ("shifted-by-one-mean", "x.detach().mean()"),
            ("shifted-by-the-first-mean", "x.detach().reshape(-1, x.shape[-1])[0].mean()"),
        )
    ),
    Mistake(
        "initial-values-shared",
        find="class LayerNorm(nn.Module):\n",
        replace="class LayerNorm(nn.Module):\n    made: dict = {}\n",
        also=(
            ("torch.ones(hidden_size)", "self.made.setdefault((1, hidden_size), torch.ones(hidden_size))"),
            ("torch.zeros(hidden_size)", "self.made.setdefault((0, hidden_size), torch.zeros(hidden_size))"),
        ),
        says="Norms of one size share the memory of their parameters: the initial ones and zeros are made "
        "once and kept, for example, so what one of them learns changes all. Make new ones for each.",
    ),
]
