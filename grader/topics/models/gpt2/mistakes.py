"""Known wrong versions of `gpt2`: embeddings, norms, residual paths, the network, logits."""

from grader.kit import Mistake
from grader.kit.families.models import mistakes as shared

SUM = "x = self.token_embedding(token_ids) + self.position_embedding(positions)"
ATTENTION = "x = x + self.dropout(self._attention(self.norm1(x)))"
NETWORK = "return x + self.dropout(self._feed_forward(self.norm2(x)))"
LAST_NORM = "x = self.norm(x)"
LOGITS = "return x @ self.token_embedding.weight.T"
HIDDEN = 'hidden = F.gelu(self.up_proj(x), approximate="tanh")'
LENGTH = """\
        if seq > self.position_embedding.num_embeddings:
            raise ValueError(f"{seq} tokens, but only {self.position_embedding.num_embeddings} positions")
"""
MADE = "self.norm = nn.LayerNorm(hidden_size)"

MISTAKES = [
    Mistake(
        "post-norm",
        find=ATTENTION,
        replace="x = self.norm1(x + self.dropout(self._attention(x)))",
        also=((NETWORK, "return self.norm2(x + self.dropout(self._feed_forward(x)))"),),
        says="Your layers are post-norm, as in the first transformer and BERT: norm1(x + attention(x)). "
        "GPT-2 is pre-norm: x + attention(norm1(x)), and nothing but sums on the residual path.",
    ),
    Mistake(
        "first-norm-left-out",
        find=ATTENTION,
        replace="x = x + self.dropout(self._attention(x))",
        says="Your attention reads the stream without norm1. In pre-norm both parts read a norm of it.",
    ),
    Mistake(
        "second-norm-left-out",
        find=NETWORK,
        replace="return x + self.dropout(self._feed_forward(x))",
        says="Your feed-forward network reads the stream without norm2. In pre-norm both parts read a norm "
        "of it.",
    ),
    Mistake(
        "final-norm-left-out",
        find=LAST_NORM,
        replace="pass",
        says="You leave out the last norm. The stream of a pre-norm model grows from layer to layer: `norm` "
        "takes it back to one size before the logits.",
    ),
    Mistake(
        "final-norm-first",
        find="        x = self.dropout(x)\n",
        replace="        x = self.dropout(self.norm(x))\n",
        also=((LAST_NORM, "pass"),),
        says="You normalize the embeddings, as BERT does, and not what the last layer gives. GPT-2's `norm` "
        "comes last, before the logits.",
    ),
    Mistake(
        "residual-after-the-norm",
        find=ATTENTION,
        replace="x = self.norm1(x)\n        x = x + self.dropout(self._attention(x))",
        also=((NETWORK, "x = self.norm2(x)\n        return x + self.dropout(self._feed_forward(x))"),),
        says="You overwrite x by its norm, and add the part to that. Then the residual path runs through "
        "the norms: only the part reads the norm, x + attention(norm1(x)).",
    ),
    *(
        Mistake(
            f"residual-after-the-norm-of-the-{part}",
            find=line,
            replace=f"x = self.{norm}(x)\n        {line.replace(f'self.{norm}(x)', 'x')}",
            says=f"At the {part} you overwrite x by its norm, and add to that. The residual path carries x "
            f"as it was: x + {part}({norm}(x)).",
        )
        for part, norm, line in (("attention", "norm1", ATTENTION), ("network", "norm2", NETWORK))
    ),
    Mistake(
        "attention-without-residual",
        find=ATTENTION,
        replace="x = self.dropout(self._attention(self.norm1(x)))",
        says="You leave out the residual connection around the attention: x + attention(norm1(x)).",
    ),
    Mistake(
        "feed-forward-without-residual",
        find=NETWORK,
        replace="return self.dropout(self._feed_forward(self.norm2(x)))",
        says="You leave out the residual connection around the feed-forward network: h + network(norm2(h)).",
    ),
    Mistake(
        "parts-side-by-side",
        find=ATTENTION,
        replace="h = x + self.dropout(self._attention(self.norm1(x)))",
        also=((NETWORK, "return h + self.dropout(self._feed_forward(self.norm2(x)))"),),
        says="Your feed-forward network reads the input of the layer. Some models do compute the two parts "
        "side by side, but in GPT-2 the network reads what the attention part gave.",
    ),
    Mistake(
        "second-residual-from-the-input",
        find=ATTENTION,
        replace="h = x + self.dropout(self._attention(self.norm1(x)))",
        also=((NETWORK, "return x + self.dropout(self._feed_forward(self.norm2(h)))"),),
        says="Around the feed-forward network you add the input of the layer again. Its residual connection "
        "carries what the attention part gave, h: h + network(norm2(h)).",
    ),
    Mistake(
        "norms-exchanged",
        find=ATTENTION,
        replace=ATTENTION.replace("norm1", "norm2"),
        also=((NETWORK, NETWORK.replace("norm2", "norm1")),),
        says="You use norm2 at the attention and norm1 at the feed-forward network. It is the other way "
        "round.",
    ),
    Mistake(
        "one-norm-for-both",
        find=NETWORK,
        replace=NETWORK.replace("norm2", "norm1"),
        says="You use norm1 in both places, so norm2 never gets a gradient. Each part has a norm of its own.",
    ),
    *shared.other_eps("norm1", "norm2", "norm"),
    Mistake(
        "exact-gelu",
        find=HIDDEN,
        replace="hidden = F.gelu(self.up_proj(x))",
        says="Your GELU is the exact one, with erf (the default of F.gelu and nn.GELU). GPT-2's is the tanh "
        'approximation, which differs by up to 5e-4: approximate="tanh".',
    ),
    Mistake(
        "gelu-root-for-x-alone",
        find=HIDDEN,
        replace="hidden = self.up_proj(x)\n"
        "        hidden = 0.5 * hidden * (1 + (0.7978845608028654 * hidden + 0.044715 * hidden**3).tanh())",
        says="In your GELU x alone is multiplied by sqrt(2 / π), and not the cubic term: brackets are "
        "missing. The tanh gets sqrt(2 / π) * (x + 0.044715 x³).",
    ),
    Mistake(
        "relu",
        find=HIDDEN,
        replace="hidden = F.relu(self.up_proj(x))",
        says="Your feed-forward network uses ReLU, as the first transformer does. GPT-2's uses GELU, by "
        "tanh.",
    ),
    Mistake(
        "activation-missing",
        find=HIDDEN,
        replace="hidden = self.up_proj(x)",
        says="You never apply the activation. Two linear layers in a row are one linear map: GELU, by tanh, "
        "stands between up_proj and down_proj.",
    ),
    Mistake(
        "layers-without-biases",
        find="self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)",
        replace="self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=False)",
        also=(
            ("nn.Linear(hidden_size, hidden_size)", "nn.Linear(hidden_size, hidden_size, bias=False)"),
            (
                "nn.Linear(hidden_size, 4 * hidden_size)",
                "nn.Linear(hidden_size, 4 * hidden_size, bias=False)",
            ),
            (
                "nn.Linear(4 * hidden_size, hidden_size)",
                "nn.Linear(4 * hidden_size, hidden_size, bias=False)",
            ),
        ),
        says="Your linear layers have no biases. Llama's have none, GPT-2's do: nn.Linear as it is.",
    ),
    Mistake(
        "untied",
        find=MADE,
        replace=f"{MADE}\n        self.lm_head = nn.Linear(hidden_size, vocab_size, bias=False)",
        also=((LOGITS, "return self.lm_head(x)"),),
        says="Your lm_head has a parameter of its own, even if it starts with the same data. GPT-2's logits "
        "use the token embedding: lm_head.weight = token_embedding.weight, or x @ token_embedding.weight.T.",
    ),
    Mistake(
        "head-with-a-bias",
        find=MADE,
        replace=f"""{MADE}
        self.lm_head = nn.Linear(hidden_size, vocab_size)
        self.lm_head.weight = self.token_embedding.weight""",
        also=((LOGITS, "return self.lm_head(x)"),),
        says="Your lm_head has a bias. The logits are the product with the embedding alone: bias=False.",
    ),
    Mistake(
        "head-tied-by-a-copy",
        find=LOGITS,
        replace="return x @ self.token_embedding.weight.detach().T",
        says="No gradient reaches the embedding from the logits: the weight is detached there (or copied). "
        "Tied means one parameter, with gradients from both ends.",
    ),
    Mistake(
        "no-positions",
        find=SUM,
        replace="x = self.token_embedding(token_ids)",
        says="You never add the position embedding. Attention alone knows order only by what the mask hides.",
    ),
    Mistake(
        "positions-from-one",
        find="positions = torch.arange(seq, device=token_ids.device)",
        replace="positions = torch.arange(1, seq + 1, device=token_ids.device)",
        says="Your positions begin with 1, so that the last one is outside of the table. They are 0 … seq - "
        "1.",
    ),
    Mistake(
        "positions-of-the-batch",
        find="positions = torch.arange(seq, device=token_ids.device)",
        replace="positions = torch.arange(len(token_ids), device=token_ids.device)[:, None]",
        says="You number the sequences instead of the tokens: every token of a sequence gets the same "
        "position. arange(seq) runs along a sequence.",
    ),
    Mistake(
        "positions-on-the-default-device",
        find="positions = torch.arange(seq, device=token_ids.device)",
        replace="positions = torch.arange(seq)",
        says="You make the positions on the default device, wherever the tokens are: torch.arange(seq, "
        "device=token_ids.device).",
    ),
    Mistake(
        "embedding-scaled",
        find=SUM,
        replace="""\
x = self.token_embedding(token_ids) * self.norm.normalized_shape[0] ** 0.5
        x = x + self.position_embedding(positions)""",
        says="You multiply the token embedding by sqrt(hidden_size), as the first transformer does. GPT-2 "
        "adds it as it is.",
    ),
    Mistake(
        "probabilities-for-logits",
        find=LOGITS,
        replace="return torch.softmax(x @ self.token_embedding.weight.T, dim=-1)",
        says="You return probabilities. Asked for are the logits: cross entropy takes the softmax itself.",
    ),
    Mistake(
        "log-probabilities-for-logits",
        find=LOGITS,
        replace="return torch.log_softmax(x @ self.token_embedding.weight.T, dim=-1)",
        says="You return log-probabilities. Asked for are the logits as they are: cross entropy takes the "
        "softmax itself.",
    ),
    Mistake(
        "last-token-only",
        find=LOGITS,
        replace="return x[:, -1] @ self.token_embedding.weight.T",
        says="You give logits for the last place only. That is enough to generate; for training each place "
        "predicts its next token: (batch, seq, vocab_size).",
    ),
    Mistake(
        "one-layer-for-all",
        find="nn.ModuleList(_Layer(hidden_size, num_heads, dropout) for _ in range(num_layers))",
        replace="nn.ModuleList([_Layer(hidden_size, num_heads, dropout)] * num_layers)",
        says="Your list holds one layer several times ([layer] * n): all share its weights. Make a new "
        "module for each.",
    ),
    Mistake(
        "length-unchecked",
        find=LENGTH,
        replace="",
        says="Your model does not check the length; nn.Embedding's IndexError says nothing of tokens and "
        "positions. Raise a ValueError in forward if there are more tokens than positions.",
    ),
    Mistake(
        "too-long-is-cut-off",
        find=LENGTH,
        replace="""\
        token_ids = token_ids[:, : self.position_embedding.num_embeddings]
        seq = token_ids.shape[1]
""",
        says="You cut off what is longer than the positions, and the caller gets fewer logits than tokens. "
        "Raise a ValueError.",
    ),
    Mistake(
        "full-length-refused",
        find="        if seq > self.position_embedding.num_embeddings:",
        replace="        if seq >= self.position_embedding.num_embeddings:",
        says="You refuse as many tokens as there are positions. They fit: positions 0 … max_position - 1.",
    ),
]
