"""Known wrong versions of `llama`: norms, residual paths, the network, logits, what raises."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

ATTENTION = "x = x + self._attention(self.norm1(x), cos, sin)"
NETWORK = "return x + self._feed_forward(self.norm2(x))"
NORMED = "return x * torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps) * self.weight"
HIDDEN = "hidden = F.silu(self.gate_proj(x)) * self.up_proj(x)"
LOGITS = "return self.lm_head(self.norm(x))"
EMBEDDED = "x = self.token_embedding(token_ids)  # (batch, seq, hidden_size)"
HEAD = "self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)"
PROJECTIONS = [
    *(f"self.{name} = nn.Linear(hidden_size, hidden_size, bias=False)" for name in ("q_proj", "o_proj")),
    *(f"self.{name} = nn.Linear(hidden_size, kv_size, bias=False)" for name in ("k_proj", "v_proj")),
    "self.gate_proj = nn.Linear(hidden_size, intermediate_size, bias=False)",
    "self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)",
    "self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)",
]

MISTAKES = [
    Mistake(
        "layer-norm",
        find=NORMED,
        replace="return F.layer_norm(x, x.shape[-1:], self.weight, None, self.eps)",
        says="Your norms subtract the mean, as LayerNorm does. RMSNorm only divides, by the root of the "
        "mean square: x / sqrt(mean(x^2) + eps) * weight.",
    ),
    Mistake(
        "norm-with-a-bias",
        find="        self.weight = nn.Parameter(torch.ones(hidden_size))",
        replace="""\
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))""",
        also=((NORMED, f"{NORMED} + self.bias"),),
        says="Your norms have a bias. RMSNorm has a weight alone.",
    ),
    Mistake(
        "eps-ignored",
        find="        self.eps = eps",
        replace="        self.eps = 1e-5",
        says="Your norms take 1e-5 whatever eps says. It is the default only.",
    ),
    Mistake(
        "eps-1e-6",
        find="eps: float = 1e-5,",
        replace="eps: float = 1e-6,",
        says="Your eps is 1e-6 where none is given, as in the first Llama. Here the default is 1e-5.",
    ),
    Mistake(
        "eps-always-1e-6",
        find="        self.eps = eps",
        replace="        self.eps = 1e-6",
        says="Your norms take 1e-6 whatever eps says.",
    ),
    Mistake(
        "eps-of-the-dtype",
        find="self.eps) * self.weight",
        replace="torch.finfo(x.dtype).eps) * self.weight",
        says="Your norms add the dtype's smallest step, as nn.RMSNorm and F.rms_norm do without an eps. Hand "
        "it on to them.",
    ),
    Mistake(
        "eps-missing-in-the-last-norm",
        find="self.norm = _RMSNorm(hidden_size, eps)",
        replace="self.norm = _RMSNorm(hidden_size, 1e-5)",
        says="The last norm takes 1e-5 whatever eps says. Hand it eps, as the layers' norms.",
    ),
    Mistake(
        "eps-of-the-dtype-in-the-last-norm",
        find="self.norm = _RMSNorm(hidden_size, eps)",
        replace="self.norm = nn.RMSNorm(hidden_size)",
        says="Your last norm adds the dtype's smallest step, as nn.RMSNorm(size) does without an eps; the "
        "layers' norms are right. Hand eps to the last one, too.",
    ),
    Mistake(
        "eps-outside-of-the-root",
        find="torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps)",
        replace="(x.pow(2).mean(dim=-1, keepdim=True).sqrt() + self.eps).reciprocal()",
        says="You add eps to the root. It is added to the mean square, below the root.",
    ),
    Mistake(
        "norm-by-the-sum",
        find="x.pow(2).mean(dim=-1, keepdim=True)",
        replace="x.pow(2).sum(dim=-1, keepdim=True)",
        says="Your norms divide by the length of the vector. It is the root of the *mean* square.",
    ),
    Mistake(
        "final-norm-left-out",
        find=LOGITS,
        replace="return self.lm_head(x)",
        says="You leave out the last norm. The stream of a pre-norm model grows from layer to layer: `norm` "
        "takes it back to one size before lm_head.",
    ),
    Mistake(
        "first-norm-left-out",
        find=ATTENTION,
        replace=ATTENTION.replace("self.norm1(x)", "x"),
        says="Your attention reads the stream without norm1. In pre-norm both parts read a norm of it.",
    ),
    Mistake(
        "second-norm-left-out",
        find=NETWORK,
        replace=NETWORK.replace("self.norm2(x)", "x"),
        says="Your feed-forward network reads the stream without norm2. In pre-norm both parts read a norm "
        "of it.",
    ),
    Mistake(
        "network-fed-by-the-first-norm",
        find=NETWORK,
        replace=NETWORK.replace("norm2", "norm1"),
        says="Your feed-forward network reads norm1 of the stream, so norm2 never gets a gradient. Each "
        "part has a norm of its own.",
    ),
    Mistake(
        "parts-side-by-side",
        find=ATTENTION,
        replace="h = x + self._attention(self.norm1(x), cos, sin)",
        also=((NETWORK, "return h + self._feed_forward(self.norm2(x))"),),
        says="Your feed-forward network reads the input of the layer. Some models do compute the two parts "
        "side by side, but in Llama the network reads what the attention part gave.",
    ),
    Mistake(
        "parts-share-a-norm",
        find=ATTENTION,
        replace="normed = self.norm1(x)\n        x = x + self._attention(normed, cos, sin)",
        also=((NETWORK, "return x + self._feed_forward(normed)"),),
        says="Your feed-forward network reads the same norm1(x) as the attention. It reads norm2 of what "
        "the attention part gave.",
    ),
    Mistake(
        "second-residual-from-the-input",
        find=ATTENTION,
        replace="h = x + self._attention(self.norm1(x), cos, sin)",
        also=((NETWORK, "return x + self._feed_forward(self.norm2(h))"),),
        says="Around the feed-forward network you add the input of the layer again. Its residual connection "
        "carries what the attention part gave, h: h + network(norm2(h)).",
    ),
    Mistake(
        "residual-after-the-norm",
        find=ATTENTION,
        replace="x = self.norm1(x)\n        x = x + self._attention(x, cos, sin)",
        also=((NETWORK, "x = self.norm2(x)\n        return x + self._feed_forward(x)"),),
        says="You overwrite x by its norm, and add the part to that. Then the residual path runs through "
        "the norms: only the part reads the norm, x + attention(norm1(x)).",
    ),
    Mistake(
        "post-norm",
        find=ATTENTION,
        replace="x = self.norm1(x + self._attention(x, cos, sin))",
        also=((NETWORK, "return self.norm2(x + self._feed_forward(x))"),),
        says="Your layers are post-norm: norm1(x + attention(x)). Llama is pre-norm: x + "
        "attention(norm1(x)), and nothing but sums on the residual path.",
    ),
    Mistake(
        "residuals-left-out",
        find=ATTENTION,
        replace=ATTENTION.replace("x + ", ""),
        also=((NETWORK, NETWORK.replace("x + ", "")),),
        says="You leave out the residual connections: x + attention(norm1(x)), and h + network(norm2(h)).",
    ),
    Mistake(
        "silu-on-up",
        find=HIDDEN,
        replace="hidden = self.gate_proj(x) * F.silu(self.up_proj(x))",
        says="You put SiLU on up_proj. It belongs on the gate: silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "silu-on-the-product",
        find=HIDDEN,
        replace="hidden = F.silu(self.gate_proj(x) * self.up_proj(x))",
        says="You put SiLU on the product. It belongs on the gate alone: silu(gate_proj(x)) * up_proj(x).",
    ),
    Mistake(
        "gelu-for-silu",
        find="F.silu(",
        replace="F.gelu(",
        says="Your gate is a GELU. Llama's is SiLU, z * sigmoid(z).",
    ),
    Mistake(
        "sigmoid-for-silu",
        find="F.silu(",
        replace="torch.sigmoid(",
        says="Your gate is a sigmoid, as in the first gated linear units. Llama's is SiLU, z * sigmoid(z).",
    ),
    Mistake(
        "gate-added",
        find=HIDDEN,
        replace="hidden = F.silu(self.gate_proj(x)) + self.up_proj(x)",
        says="You add gate and value. They are multiplied.",
    ),
    Mistake(
        "embedding-scaled",
        find=EMBEDDED,
        replace="x = self.token_embedding(token_ids) * self.token_embedding.embedding_dim**0.5",
        says="You multiply the embedding by sqrt(hidden_size), as Gemma does. Llama takes it as it is.",
    ),
    Mistake(
        "head-tied",
        find=HEAD,
        replace=f"{HEAD}\n        self.lm_head.weight = self.token_embedding.weight",
        says="Your lm_head shares the embedding's weight, as GPT-2's does. Here it has one of its own.",
    ),
    Mistake(
        "head-left-out",
        find=LOGITS,
        replace="return self.norm(x) @ self.token_embedding.weight.T",
        says="You take the token embedding for the logits, as GPT-2 does, and never use lm_head.",
    ),
    Mistake(
        "head-with-a-bias",
        find=HEAD,
        replace="self.lm_head = nn.Linear(hidden_size, vocab_size)",
        says="Your lm_head has a bias. No linear layer has one here: bias=False.",
    ),
    Mistake(
        "biases-everywhere",
        find=HEAD,
        replace=HEAD.replace(", bias=False", ""),
        also=tuple((line, line.replace(", bias=False", "")) for line in PROJECTIONS),
        says="Your linear layers have biases. In Llama none of them has one: bias=False.",
    ),
    Mistake(
        "network-with-biases",
        find="nn.Linear(intermediate_size, hidden_size, bias=False)",
        replace="nn.Linear(intermediate_size, hidden_size)",
        says="Your down_proj has a bias. No linear layer has one here: bias=False.",
    ),
    Mistake(
        "queries-keys-values-with-biases",
        find="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, kv_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, kv_size, bias=False)""",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, kv_size)
        self.v_proj = nn.Linear(hidden_size, kv_size)""",
        says="Your projections of queries, keys and values have biases, as Qwen2's do. Llama's have none: "
        "bias=False.",
    ),
    Mistake(
        "kv-heads-may-be-any-number",
        find="        if num_heads % num_kv_heads != 0:",
        replace="        if num_kv_heads > num_heads:",
        says="You accept a num_kv_heads that does not divide num_heads. Groups of one size are impossible "
        "then: raise a ValueError in the constructor.",
    ),
    Mistake(
        "hidden-size-may-be-any-number",
        find="        if hidden_size % num_heads != 0:",
        replace="        if hidden_size < num_heads:",
        says="You accept a num_heads that does not divide hidden_size. Raise a ValueError in the "
        "constructor.",
    ),
    Mistake(
        "odd-heads-accepted",
        find="        if hidden_size // num_heads % 2 != 0:",
        replace="        if hidden_size < 0:",
        says="You accept an odd head_dim, of which one feature has no partner to turn with. Raise a "
        "ValueError in the constructor.",
    ),
    instance_mistakes.kept_on_the_class("        self.base = base\n", "the base"),
]
