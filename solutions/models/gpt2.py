"""GPT-2: a stack of pre-norm decoder layers that predicts the next token.

From "Language Models are Unsupervised Multitask Learners" (Radford et al., 2019). The embedding matrix is
used twice, for the tokens that go in and for the logits that come out. Forbidden: nn.MultiheadAttention, the
nn.Transformer… layers and the functions behind them. Allowed: everything else, also nn.LayerNorm,
F.scaled_dot_product_attention and torch.nn.init.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class GPT2(nn.Module):
    """A language model: embeddings, layers of causal attention and a feed-forward network, a norm, logits.

    Parameters, and no others (buffers are free): `token_embedding` and `position_embedding`, `nn.Embedding`s
    with vocab_size and max_position rows of hidden_size; `layers`, a ModuleList of num_layers modules, each
    with `norm1`, `qkv_proj` (from hidden_size to 3 * hidden_size: query, key and value side by side in this
    order), `o_proj` (hidden_size to hidden_size), `norm2`, `up_proj` (to 4 * hidden_size) and `down_proj`
    (back); `norm`. Linear layers have biases, norms are `nn.LayerNorm(hidden_size)` with eps 1e-5.

    The logits have no parameters of their own: they use `token_embedding.weight`. A module `lm_head` may
    share it (as one and the same parameter, without a bias), and may be made before or after the embedding.
    Head i owns the features i * head_dim … (i + 1) * head_dim - 1 of query, key and value, with head_dim =
    hidden_size // num_heads; `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        num_heads: int,
        max_position: int,
        dropout: float = 0.0,
    ) -> None:
        """Initial values: all weights of linear layers and embeddings are drawn from a normal distribution of
        mean 0 and standard deviation 0.02, but those of `o_proj` and `down_proj` with 0.02 / sqrt(2 *
        num_layers). Biases are 0, norms have weights 1 and biases 0.

        dropout: a probability below 1. In training mode entries are dropped as by nn.Dropout, in four places
        and no others: the sum of the embeddings, the attention weights, and what each of the two parts of a
        layer adds (after `o_proj` and after `down_proj`). In evaluation mode nothing is dropped.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        self.token_embedding = nn.Embedding(vocab_size, hidden_size)
        self.position_embedding = nn.Embedding(max_position, hidden_size)
        self.layers = nn.ModuleList(_Layer(hidden_size, num_heads, dropout) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_size)
        self.dropout = nn.Dropout(dropout)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif "norm" not in name:
                # 2 * num_layers parts add to the residual path, whose variance should not grow with depth.
                adds = name.endswith(("o_proj.weight", "down_proj.weight"))
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * num_layers) if adds else 0.02)

    def forward(self, token_ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab_size"]:
        """Logits for the token after each place.

        The sum of token and position embeddings (positions 0, 1, …) goes through the layers. A layer is
        pre-norm: x becomes h = x + attention(norm1(x)), and that h + down_proj(gelu(up_proj(norm2(h)))).
        Attention is multi-head and causal (token i attends to the tokens 0 … i), with scores scaled by 1 /
        sqrt(head_dim), `o_proj` included; gelu is the tanh approximation. Then `norm`, and the product with
        the transposed token embedding, without a bias or a scale.

        token_ids: int64. Raises ValueError (or AssertionError) if seq is more than max_position. The result
        has the parameters' dtype (float32 or float64). Scores of up to 3000, of either sign, do not overflow,
        and later tokens get no weight with them either. Gradients reach every parameter, the token embedding
        from both ends. token_ids is not modified. Nothing lands on the default device where token_ids and
        the parameters are on another.
        """
        seq = token_ids.shape[1]
        if seq > self.position_embedding.num_embeddings:
            raise ValueError(f"{seq} tokens, but only {self.position_embedding.num_embeddings} positions")
        positions = torch.arange(seq, device=token_ids.device)
        x = self.token_embedding(token_ids) + self.position_embedding(positions)  # (batch, seq, hidden_size)
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x)
        # The stream has grown from layer to layer, since nothing on it is normalized: once, here.
        x = self.norm(x)
        return x @ self.token_embedding.weight.T  # (batch, seq, vocab_size)


class _Layer(nn.Module):
    """Causal self-attention and a feed-forward network, pre-norm."""

    def __init__(self, hidden_size: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.norm1 = nn.LayerNorm(hidden_size)
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size)
        self.up_proj = nn.Linear(hidden_size, 4 * hidden_size)
        self.down_proj = nn.Linear(4 * hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.dropout(self._attention(self.norm1(x)))
        return x + self.dropout(self._feed_forward(self.norm2(x)))

    def _attention(self, x: Tensor) -> Tensor:
        batch, seq, hidden_size = x.shape
        query, key, value = self.qkv_proj(x).chunk(3, dim=-1)  # each (batch, seq, hidden_size)
        query = query.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = key.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = value.view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, dropout_p=dropout_p, is_causal=True)
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(context)

    def _feed_forward(self, x: Tensor) -> Tensor:
        hidden = F.gelu(self.up_proj(x), approximate="tanh")  # (batch, seq, 4 * hidden_size)
        return self.down_proj(hidden)
