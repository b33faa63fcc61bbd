"""Known wrong versions of `flash_attention`: exponentials of two bases, or of another one than e."""

from grader.kit.families.attention.mistakes.base_mistakes import other_bases

MISTAKES = other_bases(
    "torch.exp(scores - new_largest)",
    "torch.exp(largest - new_largest)",
    ("scores.amax(dim=-1, keepdim=True))", "scores.detach().amax(dim=-1, keepdim=True))"),
)
