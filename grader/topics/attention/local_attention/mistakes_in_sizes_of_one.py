"""Known wrong versions of `local_attention` for whom a size of 1 is no size."""

from grader.kit.families.attention.mistakes import squeezed_mistakes

MISTAKES = [
    squeezed_mistakes.result_squeezed("torch.cat(results, dim=2)", "query"),
]
