"""Known wrong versions of `bert_embeddings` with a norm of their own that is not nn.LayerNorm's."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"norm-{name}",
        find="        return self.dropout(self.norm(summed))",
        replace=f"""\
        centred, eps = summed - summed.mean(dim=-1, keepdim=True), self.norm.eps
        normalized = centred / ({deviation})
        return self.dropout(self.norm.weight * normalized + self.norm.bias)""",
        says=says,
    )
    for name, deviation, says in (
        (
            "by-the-unbiased-variance",
            "torch.sqrt(summed.var(dim=-1, keepdim=True) + eps)",
            "You normalize by the unbiased variance, divided by n - 1, which torch.var takes by default. "
            "Layer norm takes the biased one, divided by n: correction=0, or nn.LayerNorm.",
        ),
        (
            "with-eps-outside-the-root",
            "summed.var(dim=-1, keepdim=True, correction=0).sqrt() + eps",
            "You add eps to the standard deviation. Layer norm adds it to the variance, inside the root: "
            "sqrt(variance + eps), as nn.LayerNorm does.",
        ),
        (
            "by-the-unbiased-deviation-plus-eps",
            "summed.std(dim=-1, keepdim=True) + eps",
            "You divide by the unbiased standard deviation (torch.std divides by n - 1 by default) plus eps. "
            "Layer norm takes the biased variance and adds eps to it: sqrt(variance + eps), as nn.LayerNorm "
            "does.",
        ),
    )
]
