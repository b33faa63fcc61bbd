"""Known wrong versions of `transformer`: most of them train, and the loss does not show what is wrong."""

from grader.kit import Mistake

FUTURE = (
    "future = torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool, device=tgt.device).triu(diagonal=1)"
)
DECODE = "x = self.decoder(self.dropout(x), memory, tgt_mask=future, memory_key_padding_mask=is_padding)"
ENCODE = "return self.encoder(self.dropout(x), src_key_padding_mask=src == self.pad_id)"
SRC = "x = self.src_embedding(src) + self.src_positions(torch.arange(src.shape[1], device=src.device))"
TGT = "x = self.tgt_embedding(tgt) + self.tgt_positions(torch.arange(tgt.shape[1], device=tgt.device))"
SRC_POSITIONS = "self.src_positions = nn.Embedding(max_len, hidden_size)"
TGT_POSITIONS = "self.tgt_positions = nn.Embedding(max_len, hidden_size)"
ENCODER = "self.encoder = nn.TransformerEncoder(encoder_layer, num_layers, enable_nested_tensor=False)"
LOOKED_UP = "self.{0}_positions(torch.arange(len({0}), device={0}.device))[:, None]"
"""Positions along the batch, by an embedding and by a table that is cut off: the two raise differently."""
CUT_OUT = "self.{0}_positions.weight[: len({0}), None]"
TOO_MANY = "A batch of more than max_len raises. "
OTHER_LAYOUT = " Code for (seq, batch, hidden), for example, comes to this when it gets (batch, seq, hidden)."
NOT_REGISTERED = (
    "Parameters of your layers are not the model's: they stand in a plain list (or dict), which nn.Module "
    "does not look into. .double() and .to() pass them by, and no optimizer trains them. Use nn.ModuleList."
)

MISTAKES = [
    Mistake(
        "future-not-masked",
        find="tgt_mask=future, ",
        replace="",
        says="Your decoder sees the future: each place reads the token that it has to predict. In training "
        "the loss falls to nothing, faster than it should, and generation then gives nonsense. Mask what "
        "comes after each place in the decoder's self-attention.",
    ),
    Mistake(
        "sees-one-ahead",
        find="triu(diagonal=1)",
        replace="triu(diagonal=2)",
        says="Your causal mask lets each place see one token too many: the one that it has to predict. The "
        "loss falls to nothing, and generation gives nonsense. What is forbidden begins right above the "
        "diagonal.",
    ),
    Mistake(
        "does-not-see-itself",
        find=FUTURE,
        replace=f"{FUTURE}\n        future = future | future.new_ones(len(future)).diag()",
        says="In your causal mask no place sees its own token, and the first one sees nothing, which makes "
        "NaN. The token at a place is known when the next one is predicted: keep the diagonal.",
    ),
    Mistake(
        "past-masked",
        find=FUTURE,
        replace=FUTURE.replace("triu(diagonal=1)", "tril(diagonal=-1)"),
        says="Your causal mask is the wrong way round: each place sees the future, not the past. In "
        "PyTorch's layers True forbids, in F.scaled_dot_product_attention True allows.",
    ),
    Mistake(
        "padding-is-read",
        find=ENCODE,
        replace="return self.encoder(self.dropout(x))",
        says="What is predicted depends on how far a text was padded, that is on its neighbours in the "
        "batch, and training hides it as long as texts are padded alike. Usually padding of the source is "
        "read, in the encoder or where the decoder reads memory: mask it in both places, since neither mask "
        "does the other's work. (Or positions are counted from the padded end.)",
    ),
    Mistake(
        "padding-cut-off-for-the-whole-batch",
        find=SRC,
        replace=f"src = src[:, : int((src != self.pad_id).sum(1).max())]\n        {SRC}",
        also=((ENCODE, "return self.encoder(self.dropout(x))"), (", memory_key_padding_mask=is_padding", "")),
        says="Padding beside a longer source is read, in the encoder or where the decoder reads memory. You "
        "leave out only what is padding in all rows: you cut it off behind the longest, for example. Each "
        "row has padding of its own: a mask (batch, src), in both places.",
    ),
    Mistake(
        "padding-mask-inverted",
        find="src_key_padding_mask=src == self.pad_id",
        replace="src_key_padding_mask=src != self.pad_id",
        also=(("is_padding = src == self.pad_id", "is_padding = src != self.pad_id"),),
        says="Your padding masks are the wrong way round: real tokens are left out (all of a text without "
        "padding, which makes NaN). In PyTorch's layers True in a mask forbids.",
    ),
    Mistake(
        "pad-id-ignored",
        find="self.pad_id = pad_id",
        replace="self.pad_id = 0",
        says="You take token 0 for padding whatever pad_id says: padding is read, and a word is not.",
    ),
    Mistake(
        "pad-id-of-0-taken-for-none",
        find=ENCODE,
        replace=ENCODE.replace("self.pad_id", "(self.pad_id or -1)"),
        also=(("is_padding = src == self.pad_id", "is_padding = src == (self.pad_id or -1)"),),
        says="With a pad_id of 0, the default, padding of the source is read, in the encoder or where the "
        "decoder reads memory; with another one it is masked. `if pad_id` takes 0 for no pad_id at all, for "
        "example. 0 is an id like any other: ask `is not None`, or nothing.",
    ),
    Mistake(
        "source-without-positions",
        find=SRC,
        replace="x = self.src_embedding(src)",
        says="Your source has no positions: to the encoder it is a set of words. Attention does not see "
        "order by itself.",
    ),
    Mistake(
        "target-without-positions",
        find=TGT,
        replace="x = self.tgt_embedding(tgt)",
        says="Your target has no positions. Training hides that, since the causal mask gives away some of "
        "the order in deeper models, but what stood where before is lost.",
    ),
    Mistake(
        "positions-go-round",
        find=SRC,
        replace=SRC.replace("src.device))", "src.device) % 8)"),
        also=((TGT, TGT.replace("tgt.device))", "tgt.device) % 8)")),),
        says="Tokens that are far enough from each other may change places unnoticed: your positions repeat "
        "(every 8 tokens, for example), or end at some number. Each place up to max_len has its own.",
    ),
    Mistake(
        "no-positions",
        find=SRC,
        replace="x = self.src_embedding(src)",
        also=((TGT, "x = self.tgt_embedding(tgt)"),),
        says="You add no positions at all, neither to the source nor to the target. Attention does not see "
        "order by itself.",
    ),
    *(
        Mistake(
            name,
            find=SRC,
            replace=f"x = self.src_embedding(src) + {positions.format('src')}",
            also=(
                (TGT, f"x = self.tgt_embedding(tgt) + {positions.format('tgt')}"),
                (SRC_POSITIONS, SRC_POSITIONS.replace("max_len", rows)),
                (TGT_POSITIONS, TGT_POSITIONS.replace("max_len", rows)),
            ),
            says="Your positions run along the batch: all tokens of a text have the same, and texts have "
            f"different ones. {more}They run along the sequence, dimension 1.{example}",
        )
        for name, positions, rows, more, example in [
            ("positions-along-the-batch", LOOKED_UP, "max_len + 999", "", ""),
            ("positions-along-a-batch-of-max-len", LOOKED_UP, "max_len", TOO_MANY, ""),
            ("positions-along-a-batch-cut-out", CUT_OUT, "max_len", TOO_MANY, OTHER_LAYOUT),
        ]
    ),
    Mistake(
        "source-left-out",
        find=DECODE,
        replace=DECODE.replace("memory,", "memory * 0,"),
        says="Your decoder does not read the source. It is a language model of its own then, whose loss "
        "falls, too, as far as targets can be guessed.",
    ),
    Mistake(
        "mask-kept-from-the-first-call",
        find=f"        {FUTURE}",
        replace=f"""\
        if not hasattr(self, "future"):
            self.{FUTURE}
        future = self.future""",
        says="You keep the causal mask of the first call, which does not fit a target of another length. "
        "Make it anew, or cut it out of one of max_len.",
    ),
    Mistake(
        "padding-mask-kept-by-encode",
        find=ENCODE,
        replace="self.is_padding = src == self.pad_id\n"
        "        return self.encoder(self.dropout(x), src_key_padding_mask=self.is_padding)",
        also=(
            ("        is_padding = src == self.pad_id  # (batch, src)\n", ""),
            ("memory_key_padding_mask=is_padding", "memory_key_padding_mask=self.is_padding"),
        ),
        says="Your decode masks the padding of the source that was encoded last, which encode has kept on "
        "the module. Where two sources are in work, memory meets the padding of another. decode gets src to "
        "know where the padding is.",
    ),
    Mistake(
        "layers-not-registered",
        find="self.decoder = nn.TransformerDecoder(decoder_layer, num_layers)",
        replace="self.decoder = [nn.TransformerDecoder(decoder_layer, num_layers)]",
        also=((DECODE, DECODE.replace("self.decoder(", "self.decoder[0](")),),
        says=NOT_REGISTERED,
    ),
    Mistake(
        "layers-not-registered-norm-first",
        find="self.decoder = nn.TransformerDecoder(decoder_layer, num_layers)",
        replace="self.decoder = [nn.TransformerDecoder(decoder_layer, num_layers)]",
        also=(
            (DECODE, DECODE.replace("self.decoder(", "self.decoder[0](")),
            (
                "decoder_layer = nn.TransformerDecoderLayer(*sizes, ",
                "decoder_layer = nn.TransformerDecoderLayer(*sizes, norm_first=True, ",
            ),
        ),
        says=NOT_REGISTERED,
    ),
    Mistake(
        "one-layer",
        find=ENCODER,
        replace=ENCODER.replace("num_layers", "1"),
        also=(
            ("nn.TransformerDecoder(decoder_layer, num_layers)", "nn.TransformerDecoder(decoder_layer, 1)"),
        ),
        says="The number of your parameters does not grow with num_layers: it is ignored, the layers share "
        "their weights ([layer] * n), or they stand in a plain list, where the optimizer does not find "
        "them. Use nn.ModuleList, with a module for each layer.",
    ),
    Mistake(
        "one-encoder-layer",
        find=ENCODER,
        replace=ENCODER.replace("num_layers", "1"),
        says="With each layer only one of your two stacks grows: the encoder (or the decoder) has a single "
        "layer whatever num_layers is, or its layers share their weights. Both have num_layers layers.",
    ),
    Mistake(
        "one-position-short",
        find=SRC_POSITIONS,
        replace=SRC_POSITIONS.replace("max_len", "max_len - 1"),
        also=((TGT_POSITIONS, TGT_POSITIONS.replace("max_len", "max_len - 1")),),
        says="Your table of positions is one short: with max_len tokens it raises. They are numbered 0 … "
        "max_len - 1.",
    ),
    Mistake(
        "vocabularies-exchanged",
        find="self.tgt_embedding = nn.Embedding(tgt_vocab, hidden_size)",
        replace="self.tgt_embedding = nn.Embedding(src_vocab, hidden_size)",
        says="Your table of target tokens has src_vocab rows. It needs one for each target token, tgt_vocab.",
    ),
    Mistake(
        "logits-of-the-source-vocabulary",
        find="self.lm_head = nn.Linear(hidden_size, tgt_vocab)",
        replace="self.lm_head = nn.Linear(hidden_size, src_vocab)",
        says="You give a logit for each source token. What is predicted are target tokens: tgt_vocab logits.",
    ),
    Mistake(
        "probabilities-instead-of-logits",
        find="        return self.lm_head(x)",
        replace="        return torch.softmax(self.lm_head(x), dim=-1)",
        says="You return probabilities. Cross entropy takes the softmax itself, and a softmax of a softmax "
        "is nearly uniform: the loss falls, but stays high. Return the logits.",
    ),
    Mistake(
        "dropout-not-handed-on",
        find="encoder_layer = nn.TransformerEncoderLayer(*sizes, dropout=dropout, batch_first=True)",
        replace="encoder_layer = nn.TransformerEncoderLayer(*sizes, batch_first=True)",
        also=(
            (
                "decoder_layer = nn.TransformerDecoderLayer(*sizes, dropout=dropout, batch_first=True)",
                "decoder_layer = nn.TransformerDecoderLayer(*sizes, batch_first=True)",
            ),
        ),
        says="With a dropout of 0 you still drop in training: the default of PyTorch's layers is 0.1. Hand "
        "the argument on to the encoder's and the decoder's layers.",
    ),
    Mistake(
        "dropout-missing",
        find="        self.pad_id = pad_id\n",
        replace="        self.pad_id = pad_id\n        dropout = 0.0\n",
        says="You never drop anything. In training mode dropout acts with the probability that the "
        "constructor got.",
    ),
    Mistake(
        "dropout-in-evaluation",
        find="        self.dropout = nn.Dropout(dropout)",
        replace="        self.dropout = lambda x: nn.functional.dropout(x, dropout)",
        says="You drop in evaluation too. The functions know no modes: F.dropout has training=True by "
        "default, and F.scaled_dot_product_attention drops whenever dropout_p is above 0. Pass the "
        "probability in training only, or use an nn.Dropout module.",
    ),
    Mistake(
        "mask-on-the-default-device",
        find="dtype=torch.bool, device=tgt.device).triu",
        replace="dtype=torch.bool).triu",
        says="You make a tensor (the causal mask, for example, or positions) on the default device. On a "
        "GPU that fails as soon as it meets the tokens': pass device=tgt.device.",
    ),
]
