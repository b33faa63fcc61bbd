"""Known wrong versions of `transformer` that sort the sources of a batch, and do not put them back."""

from grader.kit import Mistake

ENCODE = """\
        # PyTorch's layers take True for what may NOT be attended to.
        return self.encoder(self.dropout(x), src_key_padding_mask=src == self.pad_id)
"""

MISTAKES = [
    Mistake(
        f"sources-sorted-and-{name}",
        find=ENCODE,
        replace=f"""\
        order = (src != self.pad_id).sum(dim=1).argsort(descending={descending}, stable=True)
        x, src = x[order], src[order]
        memory = self.encoder(self.dropout(x), src_key_padding_mask=src == self.pad_id)
        return memory{back}
""",
        says="Some targets read the source of another sequence of the batch. For example, you sort the "
        "sources by their length for the encoder, and leave them so, or index with the same order once "
        "more, which is right only where sequences change places in pairs. Each has to come back to its "
        "own row: memory[order.argsort()], the inverse of the order.",
    )
    for name, descending, back in (
        ("put-back-by-the-same-order-longest-first", True, "[order]"),  # left so, it comes to the same
        ("put-back-by-the-same-order-shortest-first", False, "[order]"),
        ("left-so-shortest-first", False, ""),
    )
]
