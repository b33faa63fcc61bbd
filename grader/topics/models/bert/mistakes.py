"""Known wrong versions of `bert`: embeddings, layers, pooled output; of the attention elsewhere."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention.mistakes.mask_mistakes import with_finite_fill
from grader.kit.families.models import mistakes as shared
from grader.kit.families.models.mistakes_in_attention import BY_HAND

RESULT = "        return x, torch.tanh(self.pooler(x[:, 0]))"
FIRST = "        x = self.norm1(x + self.dropout(self._attention(x, mask)))"
NETWORK = """\
        hidden = self.activation(self.up_proj(x))  # (batch, seq, intermediate_size)
        return self.norm2(x + self.dropout(self.down_proj(hidden)))"""

OVER_THE_QUERIES = Mistake(
    "mask-over-the-queries",
    find="mask = attention_mask[:, None, None, :]",
    replace="mask = attention_mask[:, None, :, None]",
    says="Your mask forbids padding to ask, not to be asked: its rows are queries. Real tokens still "
    "attend to padding. Put the sequence into the last dimension, attention_mask[:, None, None, :].",
)

MISTAKES = [
    Mistake(
        "pooled-without-tanh",
        find=RESULT,
        replace="        return x, self.pooler(x[:, 0])",
        says="Your pooled output lacks the tanh: it is tanh of the linear layer.",
    ),
    Mistake(
        "pooled-without-linear-layer",
        find=RESULT,
        replace="        return x, torch.tanh(x[:, 0])",
        says="Your pooled output is tanh of the first token itself, and the pooler gets no gradient. The "
        "linear layer comes first.",
    ),
    Mistake(
        "pooled-from-the-mean",
        find=RESULT,
        replace="        return x, torch.tanh(self.pooler(x.mean(dim=1)))",
        says="You pool the mean of all tokens. BERT's pooler reads the first token, [CLS], alone; the word "
        "pooler misleads.",
    ),
    Mistake(
        "pooled-from-the-last-token",
        find=RESULT,
        replace="        return x, torch.tanh(self.pooler(x[:, -1]))",
        says="You pool the last token, as decoders do. BERT's pooler reads the first one, [CLS].",
    ),
    Mistake(
        "pooled-over-the-batch",
        find=RESULT,
        replace="        return x, torch.tanh(self.pooler(x[0]))",
        says="You take x[0], the first sequence of the batch, for the first token: that is x[:, 0].",
    ),
    Mistake(
        "pooled-from-the-embeddings",
        find=RESULT,
        replace="        return x, torch.tanh(self.pooler(self.embeddings(input_ids, token_type_ids)[:, 0]))",
        says="Your pooler reads the embedding of the first token. It reads the output of the last layer.",
    ),
    Mistake(
        "outputs-exchanged",
        find=RESULT,
        replace="        return torch.tanh(self.pooler(x[:, 0])), x",
        says="You return the pooled output first. The output for each token comes first, then the pooled "
        "one.",
    ),
    Mistake(
        "mask-made-from-the-padding",
        find="        if attention_mask is not None:",
        replace="""\
        if attention_mask is None:
            attention_mask = input_ids != self.embeddings.word_embeddings.padding_idx
        if attention_mask is not None:""",
        says="Where no mask is given you make one from pad_id. None means that all tokens are attended to; "
        "padding is for the caller to mask.",
    ),
    OVER_THE_QUERIES,
    with_finite_fill(replace(OVER_THE_QUERIES, also=(BY_HAND,))),
    Mistake(
        "token-types-before-the-mask",
        find="""\
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
    ) ->""",
        replace="""\
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
    ) ->""",
        says="Your forward takes token_type_ids before attention_mask. The order is input_ids, "
        "attention_mask, token_type_ids.",
    ),
    Mistake(
        "layers-share-their-weights",
        find="""\
        self.layers = nn.ModuleList(
            _Layer(hidden_size, num_heads, intermediate_size, eps, dropout) for _ in range(num_layers)
        )""",
        replace="""\
        self.layers = nn.ModuleList(
            [_Layer(hidden_size, num_heads, intermediate_size, eps, dropout)] * num_layers
        )""",
        says="Your layers are one layer num_layers times ([layer] * n repeats the same object). ALBERT does "
        "that, BERT's layers have weights of their own.",
    ),
    Mistake(
        "pre-norm",
        find=FIRST,
        replace="        x = x + self.dropout(self._attention(self.norm1(x), mask))",
        also=(
            (
                NETWORK,
                """\
        hidden = self.activation(self.up_proj(self.norm2(x)))
        return x + self.dropout(self.down_proj(hidden))""",
            ),
        ),
        says="Your layers are pre-norm, as GPT-2's. BERT's are post-norm: norm1(x + attention(x)), then "
        "norm2(h + network(h)).",
    ),
    Mistake(
        "attention-without-residual",
        find="self.norm1(x + self.dropout(self._attention(x, mask)))",
        replace="self.norm1(self.dropout(self._attention(x, mask)))",
        says="You leave out the residual connection around the attention: norm1(x + attention(x)).",
    ),
    Mistake(
        "feed-forward-without-residual",
        find="self.norm2(x + self.dropout(self.down_proj(hidden)))",
        replace="self.norm2(self.dropout(self.down_proj(hidden)))",
        says="You leave out the residual connection around the feed-forward network: norm2(h + network(h)).",
    ),
    Mistake(
        "second-residual-from-the-input",
        find=FIRST,
        replace=FIRST.replace("x = self", "h = self"),
        also=((NETWORK, NETWORK.replace("up_proj(x)", "up_proj(h)")),),
        says="Your second residual adds the network's result to x, the input of the layer, so what norm1 "
        "gave reaches the output through the network alone. It adds to h = norm1(x + attention(x)): "
        "norm2(h + network(h)).",
    ),
    Mistake(
        "network-from-the-input",
        find=FIRST,
        replace=FIRST.replace("x = self", "h = self"),
        also=((NETWORK, NETWORK.replace("norm2(x +", "norm2(h +")),),
        says="Your feed-forward network reads x, the input of the layer, beside the attention. It comes "
        "after it and reads h = norm1(x + attention(x)): norm2(h + network(h)).",
    ),
    Mistake(
        "norm1-twice",
        find=NETWORK,
        replace=NETWORK.replace("norm2", "norm1"),
        says="You use norm1 after the network too, and norm2 never, which gets no gradient. Each part of a "
        "layer has a norm of its own.",
    ),
    Mistake(
        "norms-exchanged",
        find=FIRST,
        replace=FIRST.replace("norm1", "norm2"),
        also=((NETWORK, NETWORK.replace("norm2", "norm1")),),
        says="You use norm2 after the attention and norm1 after the network. norm1 belongs to the attention.",
    ),
    shared.ACTIVATION_MISSING,
    Mistake(
        "relu",
        find="self.activation = F.gelu",
        replace="self.activation = F.relu",
        says="You activate with ReLU. BERT's feed-forward network has GELU, the exact one.",
    ),
    shared.GELU_BY_TANH,
    Mistake(
        "no-norm-of-the-embeddings",
        find="return self.dropout(self.norm(summed))",
        replace="return self.dropout(summed)",
        says="You do not normalize the embeddings. Their sum passes a layer norm before the first layer.",
    ),
    Mistake(
        "positions-left-out",
        find="words + self.position_embeddings(positions) + self",
        replace="words + self",
        says="You do not add the positions, so the model cannot tell one order of the tokens from another.",
    ),
    Mistake(
        "token-types-left-out",
        find=" + self.token_type_embeddings(token_type_ids)",
        replace="",
        says="You never add the token types, so their table gets no gradient.",
    ),
    Mistake(
        "no-type-where-none-is-given",
        find="""\
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
""",
        replace="",
        also=(
            (
                "self.token_type_embeddings(token_type_ids)",
                "(0 if token_type_ids is None else self.token_type_embeddings(token_type_ids))",
            ),
        ),
        says="Without token_type_ids you add no type at all. None means type 0 for every token, whose "
        "vector is added as it is learned.",
    ),
    Mistake(
        "padding-row-like-the-others",
        find="nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)",
        replace="nn.Embedding(vocab_size, hidden_size)",
        says="Your row of padding is one like the others: it starts with random numbers and learns. It "
        "starts at zero and gets no gradient: nn.Embedding does both with padding_idx.",
    ),
    Mistake(
        "padding-row-learns",
        find="nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)",
        replace="""\
nn.Embedding(vocab_size, hidden_size)
        self.word_embeddings.weight.data[pad_id] = 0""",
        says="Your row of padding starts at zero, but it learns like the others. It gets no gradient either: "
        "nn.Embedding does both with padding_idx.",
    ),
    Mistake(
        "padding-row-filled-later",
        find="nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)",
        replace="""\
nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)
        nn.init.normal_(self.word_embeddings.weight, std=0.02)""",
        says="Your row of padding starts with random numbers: an initialization of all weights after "
        "nn.Embedding, for example, fills the row that padding_idx had made zero. As it gets no gradient, it "
        "stays so: set it to zero again.",
    ),
    Mistake(
        "positions-on-the-default-device",
        find=", device=input_ids.device)",
        replace=")",
        says="You make the positions on the default device. With the model on a GPU that is another one, and "
        "the lookup fails or gives anything: torch.arange(seq, device=input_ids.device).",
    ),
    Mistake(
        "pad-id-ignored",
        find="padding_idx=pad_id",
        replace="padding_idx=0",
        says="You treat token 0 as padding whatever pad_id says.",
    ),
    Mistake(
        "layers-with-the-default-eps",
        find="self.norm1 = nn.LayerNorm(hidden_size, eps=eps)",
        replace="self.norm1 = nn.LayerNorm(hidden_size)",
        also=(("self.norm2 = nn.LayerNorm(hidden_size, eps=eps)", "self.norm2 = nn.LayerNorm(hidden_size)"),),
        says="The norms of your layers add 1e-5, nn.LayerNorm's default. They get eps too.",
    ),
    *(
        Mistake(
            id,
            find='eps: float = 1e-12,\n        dropout: float = 0.0,\n    ) -> None:\n        """pad_id',
            replace=f'eps: float = {eps},\n        dropout: float = 0.0,\n    ) -> None:\n        """pad_id',
            says=f"Your default eps is {eps}{like}. BERT's is 1e-12.",
        )
        for id, eps, like in (
            ("default-eps-of-layer-norm", "1e-5", ", that of nn.LayerNorm"),
            ("default-eps-1e-3", "1e-3", ", that of Keras' layer norm"),
            ("default-eps-1e-6", "1e-6", ""),
        )
    ),
    shared.dropout_in_evaluation("self.dropout.p"),
    shared.dropout_missing("        if hidden_size % num_heads != 0:\n"),
    shared.DROPOUT_BY_DEFAULT,
]
