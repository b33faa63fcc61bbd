"""Known wrong versions of `embedding`: rows read and written, and the last row that counts."""

from grader.kit import Mistake

ROWS = "rows = self.weight[token_ids]  # (..., embedding_dim)"
DRAWN = "weight = torch.randn(num_embeddings, embedding_dim)"
OWN = "        self.padding_idx = _row(padding_idx, num_embeddings)\n"
ADDED = "grad_output.reshape(-1, embedding_dim))"
HELPER = "def _row(padding_idx: int | None, num_embeddings: int) -> int | None:"

MISTAKES = [
    Mistake(
        "ids-viewed-flat",
        find=ROWS,
        replace="rows = self.weight[token_ids.view(-1)].view(*token_ids.shape, self.weight.shape[1])",
        says="forward flattens the ids with view, which raises where they are not contiguous (transposed). "
        "Use reshape, or index with the ids as they are.",
    ),
    Mistake(
        "grad-output-overwritten",
        find=ADDED,
        replace="_cleared(grad_output, token_ids, _row(padding_idx, num_embeddings), embedding_dim))",
        also=(
            (
                HELPER,
                "def _cleared(grad_output, token_ids, row, size):\n"
                "    rows = grad_output.reshape(-1, size)\n"
                "    if row is not None:\n"
                "        rows[token_ids.reshape(-1) == row] = 0\n"
                "    return rows\n\n\n" + HELPER,
            ),
        ),
        says="embedding_backward writes the padding's zeros into grad_output: reshape shares its memory. "
        "Clear the row of the result, or take a copy first.",
    ),
    Mistake(
        "lowest-padding-refused",
        find=OWN,
        replace="        if padding_idx == -num_embeddings:\n"
        f"            raise ValueError(padding_idx)\n{OWN}",
        says="You refuse padding_idx = -num_embeddings, which is the first row. From -num_embeddings on, "
        "that one among them, negative ones count from the end.",
    ),
    Mistake(
        "last-padding-refused",
        find="if not -num_embeddings <= padding_idx < num_embeddings:",
        replace="if not -num_embeddings <= padding_idx < num_embeddings - 1:",
        says="You refuse padding_idx = num_embeddings - 1, which is the last row.",
    ),
    Mistake(
        "lowest-padding-refused-everywhere",
        find="if not -num_embeddings <= padding_idx < num_embeddings:",
        replace="if not -num_embeddings < padding_idx < num_embeddings:",
        says="You refuse padding_idx = -num_embeddings, in embedding_backward too. It is the first row: "
        "negative ones count from the end, from -num_embeddings on.",
    ),
    Mistake(
        "started-truncated",
        find=DRAWN,
        replace="weight = nn.init.trunc_normal_(torch.empty(num_embeddings, embedding_dim))",
        says="You draw from a normal distribution that is cut at ±2 (trunc_normal_), so its standard "
        "deviation is 0.88. It is N(0, 1), not cut.",
    ),
    Mistake(
        "started-from-the-same-seed",
        find=DRAWN,
        replace="source = torch.Generator().manual_seed(0)\n"
        "        weight = torch.randn(num_embeddings, embedding_dim, generator=source)",
        says="All your modules of a size start with the same numbers: __init__ sets a seed, for example. "
        "They are drawn anew for each module; the seed is set by whoever makes them, outside.",
    ),
    Mistake(
        "rows-scaled-by-the-root",
        find=ROWS,
        replace="rows = self.weight[token_ids] * self.weight.shape[1] ** -0.5",
        says="You divide the rows by sqrt(embedding_dim). They are given as they are.",
    ),
    Mistake(
        "started-with-half-the-variance",
        find=DRAWN,
        replace="weight = torch.randn(num_embeddings, embedding_dim) / 2**0.5",
        says="Your weights have about half the variance, a standard deviation of some 0.7: by Box and "
        "Muller's way, for example, with the radius sqrt(-ln u), where that of a normal point in the plane "
        "is sqrt(-2 ln u). Asked for is N(0, 1).",
    ),
    Mistake(
        "started-truncated-at-three",
        find=DRAWN,
        replace="weight = nn.init.trunc_normal_(torch.empty(num_embeddings, embedding_dim), a=-3, b=3)",
        says="You draw from a normal distribution that is cut at ±3, for example: none of thousands of "
        "numbers is further off. It is N(0, 1), not cut.",
    ),
    Mistake(
        "started-standardized",
        find=DRAWN,
        replace="weight = torch.randn(num_embeddings, embedding_dim)\n"
        "        weight = (weight - weight.mean()) / weight.std()",
        says="You shift or scale what is drawn so that the table has a mean of exactly 0, or a standard "
        "deviation of exactly 1. Each number depends on all others then; in a small table it shows. Leave "
        "them as they are drawn.",
    ),
]
