"""Known wrong versions of `sdpa` that go through blocks of keys, and merge them wrongly."""

from grader.kit.families.attention.mistakes import block_mistakes

MISTAKES = [
    *block_mistakes.not_rescaled(
        "    weights = torch.softmax(scores, dim=-1)\n",
        "key.shape[-2]",
        largest=128,  # and 256 comes to the same
        before="scores, value = (x.float() if query.dtype == torch.float16 else x for x in (scores, value))",
        result="(output / norm).to(query.dtype)",
    ),
]
