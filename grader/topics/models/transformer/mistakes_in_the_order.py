"""Known wrong versions of `transformer`: the order of sources, late places, layers, what decode reads."""

from grader.kit import Mistake

ENCODE = """\
        # PyTorch's layers take True for what may NOT be attended to.
        return self.encoder(self.dropout(x), src_key_padding_mask=src == self.pad_id)
"""
SRC = "self.src_positions(torch.arange(src.shape[1], device=src.device))"
TGT = "self.tgt_positions(torch.arange(tgt.shape[1], device=tgt.device))"
ONE_FOR_ALL = (
    "are one vector for all places from some number on (64, for example; clamp makes such), so late tokens "
    "may change places unnoticed. Each place up to max_len has its own."
)

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

MISTAKES += [
    Mistake(
        "late-places-alike",
        find=SRC,
        replace=SRC.replace("src.device))", "src.device).clamp(max=64))"),
        also=((TGT, TGT.replace("tgt.device))", "tgt.device).clamp(max=64))")),),
        says=f"Your positions {ONE_FOR_ALL}",
    ),
    Mistake(
        "late-places-of-the-source-alike",
        find=SRC,
        replace=SRC.replace("src.device))", "src.device).clamp(max=64))"),
        says=f"Your positions of the source {ONE_FOR_ALL}",
    ),
    Mistake(
        "decode-reads-the-source",
        find="        is_padding = src == self.pad_id  # (batch, src)\n",
        replace="        is_padding = src == self.pad_id  # (batch, src)\n"
        "        memory = memory + self.src_embedding(src)\n",
        says="decode reads the source's tokens (their embeddings, for example). What is known of the source "
        "comes from memory; src only tells decode where its padding is.",
    ),
    Mistake(
        "padding-read-with-one-target-token",
        find="memory_key_padding_mask=is_padding",
        replace="memory_key_padding_mask=is_padding if tgt.shape[1] > 1 else None",
        says="Where the target has one token alone, the source's padding is read: you leave out masks for a "
        "single query, for example. It has no future to hide, but padding is hidden from it all the same.",
    ),
    Mistake(
        "layers-that-are-not-run",
        find=ENCODE,
        replace=ENCODE.replace("self.encoder(", "self.encoder.layers[0]("),
        also=(("self.decoder(self.dropout(x)", "self.decoder.layers[0](self.dropout(x)"),),
        says="Your model has num_layers layers, but the logits do not depend on the weights of all of them. "
        "One layer alone is run, for example, or each gets the embeddings, so that the last one's result "
        "is all that stays. Each takes what the one before it gives: x = layer(x).",
    ),
]
