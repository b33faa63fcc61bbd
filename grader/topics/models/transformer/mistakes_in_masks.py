"""Known wrong versions of `transformer` whose masks leave a place nothing to attend to."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes

ENCODE = "return self.encoder(self.dropout(x), src_key_padding_mask=src == self.pad_id)"
DECODE = "x = self.decoder(self.dropout(x), memory, tgt_mask=future, memory_key_padding_mask=is_padding)"
NOT_A_NUMBER = 'torch.ones_like(x).masked_fill(({} == self.pad_id)[..., None], float("nan"))'
INVERTED = (
    ENCODE,
    ENCODE.replace("return ", "memory = ").replace("==", "!=")
    + """
        everything_masked = (src != self.pad_id).all(dim=1)[:, None, None]
        return memory * torch.ones_like(x).masked_fill(everything_masked, float("nan"))""",
)
INVERTED_IN_DECODE = (
    "is_padding = src == self.pad_id",
    "is_padding = src != self.pad_id\n"
    '        memory = memory.masked_fill(is_padding.all(dim=1)[:, None, None], float("nan"))',
)
ALL_NAN = (
    "The logits of a source without padding are NaN. For example, a padding mask is the wrong way round, in "
    "the encoder or where the decoder reads memory, and hides all tokens of such a source. Or a mask is made "
    "by a product with -inf, and 0 * -inf is NaN: take masked_fill or torch.where."
)
NOTHING_SEEN = (
    "your mask hides rows as well as columns, so a place of padding may attend to nothing: a softmax of -inf "
    "alone is NaN, and 0 * NaN carries it on"
)

MISTAKES = [
    dropout_mistakes.without_gradients(),
    Mistake(
        "padding-of-the-source-sees-nothing",
        find=ENCODE,
        replace=ENCODE.replace("return ", "memory = ")
        + f"\n        return memory * {NOT_A_NUMBER.format('src')}",
        says="Where a source has padding, all its logits are NaN, and so are the gradients. For example, in "
        f"the encoder {NOTHING_SEEN} to all places. Mask padding as keys only: what comes of its own places "
        "is not read.",
    ),
    Mistake(
        "padding-of-the-source-sees-nothing-in-the-fast-path",
        find=ENCODE,
        replace="""\
is_padding = src == self.pad_id
        mask = is_padding[:, None, :] | is_padding[:, :, None]
        mask = mask.repeat_interleave(self.encoder.layers[0].self_attn.num_heads, dim=0)
        return self.encoder(self.dropout(x), mask=mask)""",
        says="In evaluation without gradients, and only there, the logits are NaN where a source has "
        "padding. For example, your mask for PyTorch's encoder hides rows as well as columns, so a place of "
        "padding may attend to nothing: the fast path, which its layers take in that mode, makes NaN of it. "
        "Mask padding as keys only (src_key_padding_mask).",
    ),
    Mistake(
        "padding-of-the-target-sees-nothing",
        find=DECODE,
        replace=f"""\
x = self.dropout(x)
        for layer in self.decoder.layers:
            x = layer(x, memory, tgt_mask=future, memory_key_padding_mask=is_padding)
            x = x * {NOT_A_NUMBER.format("tgt")}""",
        says="Where a target has padding, the gradients are NaN, and with several layers the logits in front "
        f"of it as well. For example, in the decoder {NOTHING_SEEN} to all places of the next layer. Mask "
        "padding as keys only; in a causal decoder padding at the target's end needs no mask at all.",
    ),
    Mistake(
        "padding-of-another-source-masked",
        find=ENCODE,
        replace="""\
is_padding = (src == self.pad_id)[:, None, :].expand(-1, src.shape[1], -1)
        mask = is_padding.repeat(self.encoder.layers[0].self_attn.num_heads, 1, 1)
        return self.encoder(self.dropout(x), mask=mask)""",
        says="Alone every source is right, but in a batch of several lengths none is: they get each other's "
        "padding masks. For example, heads and batch are one dimension, with scores in the order (batch, "
        "heads) and masks in the order (heads, batch), by repeat or cat: flatten both in the same order "
        "(repeat_interleave), or leave the dimensions apart, (batch, 1, 1, src).",
    ),
    Mistake(
        "target-shifted-once-more",
        find="        x = self.tgt_embedding(tgt) + ",
        replace="        tgt = torch.cat([torch.full_like(tgt[:, :1], self.pad_id), tgt[:, :-1]], dim=1)\n"
        "        x = self.tgt_embedding(tgt) + ",
        says="What you predict at a place does not depend on the target token there, but on earlier ones "
        "alone (decode shifts the target to the right once more, for example). A target comes with its start "
        "token first, so the token at a place is known when the next one is predicted.",
    ),
    # These two tell one from the other only by sources with padding, if there is the time to look at them.
    Mistake(
        "padding-mask-inverted-by-hand",
        find=INVERTED[0],
        replace=INVERTED[1],
        also=(INVERTED_IN_DECODE,),
        says=ALL_NAN,
    ),
    Mistake(
        "zero-times-infinity",
        find=ENCODE,
        replace=ENCODE.replace("src == self.pad_id", 'x.new_tensor(float("-inf")) * (src == self.pad_id)'),
        says=ALL_NAN,
    ),
    dropout_mistakes.mask_ignored_in_training(
        "tgt_mask=future",
        "tgt_mask=None if self.training and self.dropout.p else future",
        mask="the causal mask",
    ),
    dropout_mistakes.mask_ignored_in_training(
        "src_key_padding_mask=src == self.pad_id",
        "src_key_padding_mask=None if self.training and self.dropout.p else src == self.pad_id",
        mask="the mask of padding",
    ),
]
