"""Known wrong versions of `mask_functions` that guess which dimensions a function's result has."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "three-dimensions-taken-for-those-without-heads",
        find="h = torch.arange(heads)[:, None, None]  # (heads, 1, 1)",
        replace="h = torch.arange(heads)[None, :, None, None]",
        also=(
            (
                "return fn(b, h, q, kv).expand(batch, heads, q_len, kv_len)",
                "mask = fn(b, h, q[None, None], kv[None, None, None])\n"
                "    mask = mask.unsqueeze(1) if mask.dim() == 3 else mask\n"
                "    return mask.expand(batch, heads, q_len, kv_len)",
            ),
        ),
        says="You take a result of three dimensions for (batch, q, kv). Results broadcast, so what they lack "
        "are leading dimensions: it is (head, q, kv), for all of the batch. expand does that by itself.",
    ),
]
