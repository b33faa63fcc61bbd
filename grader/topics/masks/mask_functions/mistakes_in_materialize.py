"""Known wrong versions of `mask_functions` that guess dimensions, expand some, or draw a part only."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "render-shortens",
        find="""    return "\\n".join(" ".join(""",
        replace="""\
    if mask.numel() > 1000:
        return "..."
    return "\\n".join(" ".join(""",
        says="Of a large mask you draw the edges alone, with three dots between them: the text of an array "
        "or a tensor as NumPy and PyTorch print it is shortened above 1000 elements. Go through the rows, "
        "mask.tolist(), and join their signs yourself.",
    ),
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
    Mistake(
        "only-batch-and-heads-expanded",
        find="    return fn(b, h, q, kv).expand(batch, heads, q_len, kv_len)",
        replace="""\
    mask = fn(b, h, q, kv)
    mask = mask.reshape((1,) * (4 - mask.dim()) + tuple(mask.shape))
    return mask.expand(batch, heads, -1, -1)""",
        says="You expand batch and heads alone. A function that does not ask for the query (padding) gives a "
        "size of 1 there, and one that asks for nothing gives it everywhere: expand all four.",
    ),
    Mistake(
        "render-turned",
        find="for row in mask.tolist())",
        replace="for row in mask.T.tolist())",
        says="You write the columns of the mask as rows: the text is its mirror image. A row of text is a "
        "row of the mask, one query, and its signs are the keys.",
    ),
]
