"""Known wrong versions of `embedding`: no padding, one-hot vectors, and the gradient's layout and size."""

from grader.kit import Mistake

ROWS = "rows = self.weight[token_ids]  # (..., embedding_dim)"
ZEROED = "    if padding_idx is not None:\n        grad_weight[padding_idx] = 0\n"

MISTAKES = [
    Mistake(
        "none-zeroes-the-gradient",
        find=ZEROED,
        replace="    grad_weight[padding_idx] = 0\n",
        says="Without a padding your embedding_backward gives zeros. An index of None stands for a new "
        "dimension in front, so weight[None] = 0 writes to all rows, for example: ask whether "
        "padding_idx is None first.",
    ),
    Mistake(
        "none-zeroes-the-table",
        find="        if self.padding_idx is not None:\n            weight[self.padding_idx] = 0\n",
        replace="        weight[self.padding_idx] = 0\n",
        says="Without a padding your whole weight starts at zeros. An index of None stands for a new "
        "dimension in front, so weight[None] = 0 writes to all rows, for example: ask whether "
        "padding_idx is None first.",
    ),
    Mistake(
        "one-hot-as-wide-as-the-largest-id",
        find=ROWS,
        replace="rows = nn.functional.one_hot(token_ids.long()).to(self.weight.dtype) @ self.weight",
        says="Your one-hot vectors are as wide as the largest id that came, and fit the table only if "
        "that is its last row. Their width is num_embeddings: one_hot(token_ids, num_embeddings).",
    ),
    Mistake(
        "one-hot-of-float32",
        find=ROWS,
        replace="hot = nn.functional.one_hot(token_ids.long(), len(self.weight)).float()\n"
        "        rows = hot @ self.weight",
        says="Your one-hot vectors are float32 whatever weight is, and a product of float32 and "
        "float64 raises. Turn them into the dtype of weight, or index the rows.",
    ),
    Mistake(
        "gradient-sparse",
        find="    return grad_weight\n",
        replace="    return grad_weight.to_sparse()\n",
        says="Your embedding_backward gives a sparse tensor. It is asked dense.",
    ),
    Mistake(
        "gradient-divided-by-the-ids",
        find="    return grad_weight\n",
        replace="    return grad_weight / max(token_ids.numel(), 1)\n",
        says="You divide the gradient by the number of ids. That belongs to a loss that is a mean, and "
        "then grad_output has the factor already: rows add up as they are.",
    ),
]
