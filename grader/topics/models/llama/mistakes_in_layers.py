"""Known wrong versions of `llama`: sizes, layers one after the other, what a layer passes on."""

from grader.kit import Mistake

ODD = "hidden_size // num_heads % 2 != 0"
NORMED = "return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight"
LAYERS = """\
nn.ModuleList(
            _Layer(hidden_size, num_heads, num_kv_heads, intermediate_size, eps) for _ in range(num_layers)
        )"""
LAYER = "x = layer(x, cos, sin)"
MASKED = "is_causal=True)"
SCORED = "torch.ones(seq, seq, dtype=torch.bool, device=x.device)"

MISTAKES = [
    Mistake(
        "odd-size-looked-for-in-hidden-size",
        find=ODD,
        replace="hidden_size % 2 != 0",
        says="You look whether hidden_size is odd. It is head_dim that has to be even, since features are "
        "turned in pairs within a head: hidden_size may be even where head_dim is odd.",
    ),
    Mistake(
        "divisible-by-the-key-value-heads",
        find="if hidden_size % num_heads != 0:",
        replace="if hidden_size % num_kv_heads != 0:",
        says="You look whether num_kv_heads divides hidden_size. It is num_heads that has to.",
    ),
    Mistake(
        "more-key-value-heads-than-heads",
        find="if num_heads % num_kv_heads != 0:",
        replace="if num_heads % num_kv_heads != 0 and num_kv_heads % num_heads != 0:",
        says="You accept more key/value heads than query heads where they are a multiple. num_kv_heads has "
        "to divide num_heads.",
    ),
    Mistake(
        "one-layer-many-times",
        find=LAYERS,
        replace="nn.ModuleList([_Layer(hidden_size, num_heads, num_kv_heads, intermediate_size, eps)] "
        "* num_layers)",
        says="Your layers are one and the same module: [layer] * n repeats the reference. Make one for each.",
    ),
    Mistake(
        "first-layer-again-and-again",
        find=LAYER,
        replace="x = self.layers[0](x, cos, sin)",
        says="You run the first layer num_layers times. Each has weights of its own: run them in order.",
    ),
    Mistake(
        "last-layer-skipped",
        find="for layer in self.layers:",
        replace="for layer in self.layers[:-1]:",
        says="You leave out the last layer. All num_layers are run.",
    ),
    Mistake(
        "normed-stream",
        find="x = x + self._attention(self.norm1(x), cos, sin)",
        replace="x = self.norm1(x)\n        x = x + self._attention(x, cos, sin)",
        says="You add the attention to norm1(x). The residual path is not normalized: x + "
        "attention(norm1(x)).",
    ),
    Mistake(
        "normed-stream-at-the-network",
        find="return x + self._feed_forward(self.norm2(x))",
        replace="x = self.norm2(x)\n        return x + self._feed_forward(x)",
        says="You add the feed-forward network's result to norm2(h). The residual path is not normalized: it "
        "carries h itself, what the attention part gave, h + network(norm2(h)).",
    ),
    Mistake(
        "one-is-added-to-the-weight",
        find=NORMED,
        replace=NORMED.replace("* self.weight", "* (1 + self.weight)"),
        says="Your norm multiplies by 1 + weight, as Gemma's does. Llama's multiplies by the weight.",
    ),
    Mistake(
        "eps-of-norm1-not-passed-on",
        find="self.norm1 = _RMSNorm(hidden_size, eps)",
        replace="self.norm1 = _RMSNorm(hidden_size, 1e-5)",
        says="norm1 keeps an eps of 1e-5 whatever was asked for. Every norm adds the same: pass it on.",
    ),
    Mistake(
        "eps-of-norm2-not-passed-on",
        find="self.norm2 = _RMSNorm(hidden_size, eps)",
        replace="self.norm2 = _RMSNorm(hidden_size, 1e-5)",
        says="norm2 keeps an eps of 1e-5 whatever was asked for. Every norm adds the same: pass it on.",
    ),
    Mistake(
        "gate-in-the-place-of-up",
        find="F.silu(self.gate_proj(x)) * self.up_proj(x)",
        replace="F.silu(self.gate_proj(x)) * self.gate_proj(x) + 0 * self.up_proj(x)",
        says="You multiply silu(gate_proj(x)) by gate_proj(x), and up_proj has no part in it. It is "
        "silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "relu-for-silu",
        find="F.silu(self.gate_proj(x))",
        replace="F.relu(self.gate_proj(x))",
        says="You activate with ReLU. It is SiLU, x * sigmoid(x).",
    ),
    Mistake(
        "keys-alone-tiled",
        find="key = key.repeat_interleave(groups, dim=1)",
        replace="key = key.repeat(1, groups, 1, 1)",
        says="You tile the keys (k0 k1 k0 k1 …) and repeat the values in blocks (v0 v0 v1 v1 …): a query "
        "head gets the keys of one head and the values of another. Repeat both in blocks.",
    ),
    Mistake(
        "values-alone-tiled",
        find="value = value.repeat_interleave(groups, dim=1)",
        replace="value = value.repeat(1, groups, 1, 1)",
        says="You tile the values (v0 v1 v0 v1 …) and repeat the keys in blocks (k0 k0 k1 k1 …): a query "
        "head gets the keys of one head and the values of another. Repeat both in blocks.",
    ),
    Mistake(
        "own-place-masked",
        find=MASKED,
        replace=f"attn_mask={SCORED}.tril(-1))",
        says="You mask a token's own place as well: tril(-1), or triu(0) for what is hidden. Token i attends "
        "to the tokens 0 … i, itself among them.",
    ),
    Mistake(
        "earlier-tokens-masked",
        find=MASKED,
        replace=f"attn_mask={SCORED}.triu())",
        says="Your mask is the wrong way round: token i attends to itself and later tokens. In a boolean "
        "mask for F.scaled_dot_product_attention True means that it may attend: tril.",
    ),
    Mistake(
        "logits-in-float32",
        find="return self.lm_head(self.norm(x))",
        replace="return self.lm_head(self.norm(x)).float()",
        says="Your logits are float32 whatever the parameters are. The result has their dtype.",
    ),
    Mistake(
        "embedding-detached",
        find="x = self.token_embedding(token_ids)",
        replace="x = self.token_embedding(token_ids).detach()",
        says="No gradient reaches the embedding: it is detached. Gradients reach every parameter.",
    ),
    Mistake(
        "frequencies-4i-over-dim",
        find="self.base ** (-pairs / self.head_dim)",
        replace="self.base ** (-2 * pairs / self.head_dim)",
        says="Pair i turns by base^(-4 i / head_dim): arange(0, head_dim, 2) is 2 i already, and you double "
        "it once more. It is base^(-2 i / head_dim).",
    ),
    Mistake(
        "norms-exchanged",
        find="self._attention(self.norm1(x), cos, sin)",
        replace="self._attention(self.norm2(x), cos, sin)",
        also=(("self._feed_forward(self.norm2(x))", "self._feed_forward(self.norm1(x))"),),
        says="You use norm2 at the attention and norm1 at the feed-forward network. They are numbered in the "
        "order of the parts: the attention has norm1.",
    ),
    Mistake(
        "attention-fed-by-the-second-norm",
        find="self._attention(self.norm1(x), cos, sin)",
        replace="self._attention(self.norm2(x), cos, sin)",
        says="You use norm2 at the attention as well as at the feed-forward network, so norm1 never gets a "
        "gradient. The attention has norm1.",
    ),
    Mistake(
        "root-mean-square-detached",
        find=NORMED,
        replace=NORMED.replace(" * self.weight", ".detach() * self.weight"),
        says="Your norms divide by the root mean square as if it were a constant: it is cut off from the "
        "graph (no_grad or detach, for example). It depends on x, and the gradient flows through it too.",
    ),
    Mistake(
        "attention-weights-detached",
        find="query, key = _turned(query, cos, sin), _turned(key, cos, sin)",
        replace="query, key = _turned(query, cos, sin).detach(), _turned(key, cos, sin).detach()",
        says="No gradient reaches q_proj and k_proj: the attention weights, or what they are made of, are "
        "cut off from the graph (no_grad or detach, for example). Gradients reach every parameter.",
    ),
]
