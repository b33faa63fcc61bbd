"""BERT: embeddings, a stack of encoder layers, and a pooled vector of the first token.

From BERT (Devlin et al., 2018): the encoder of the transformer alone, post-norm, with GELU. Every token
sees all others, on both sides. Forbidden: nn.MultiheadAttention, the nn.Transformer… layers and the functions
behind them. Allowed: everything else, also F.scaled_dot_product_attention, nn.Embedding and nn.LayerNorm.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class Bert(nn.Module):
    """Encoder layers over the sum of word, position and token type embeddings.

    Parameters, and no others (buffers are free); linear layers have biases:
    - `embeddings`, a module with `word_embeddings.weight` (vocab_size, hidden_size),
      `position_embeddings.weight` (max_position, hidden_size), `token_type_embeddings.weight`
      (type_vocab_size, hidden_size), and a layer norm `norm`;
    - `layers`, an `nn.ModuleList` of num_layers modules, each with `q_proj`, `k_proj`, `v_proj`, `o_proj`,
      linear layers from hidden_size to hidden_size, `up_proj` to intermediate_size, `down_proj` back, and the
      layer norms `norm1` (after attention) and `norm2`;
    - `pooler`, an `nn.Linear(hidden_size, hidden_size)`.
    Head i owns the features i * head_dim … (i + 1) * head_dim - 1 of the outputs of `q_proj`, `k_proj` and
    `v_proj`, with head_dim = hidden_size // num_heads; `o_proj` gets the heads' results side by side in the
    same order.
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        num_layers: int,
        num_heads: int,
        intermediate_size: int,
        max_position: int,
        type_vocab_size: int = 2,
        pad_id: int = 0,
        eps: float = 1e-12,
        dropout: float = 0.0,
    ) -> None:
        """pad_id: the token of padding, 0 … vocab_size - 1. Its row of `word_embeddings` is zero at first and
        never gets a gradient; what is loaded into it counts. All other values are free at first.
        eps: what every norm adds to the variance, those of the layers too.

        dropout: a probability below 1. In training mode it acts on the embeddings after their norm, on the
        attention weights, and on what each part of a layer adds to the residual path. In evaluation mode
        there is none. Checked is only that two calls differ in training, that gradients are those of what
        came there too, and that nothing is dropped in evaluation.

        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
        self.embeddings = _Embeddings(
            vocab_size, hidden_size, max_position, type_vocab_size, pad_id, eps, dropout
        )
        self.layers = nn.ModuleList(
            _Layer(hidden_size, num_heads, intermediate_size, eps, dropout) for _ in range(num_layers)
        )
        self.pooler = nn.Linear(hidden_size, hidden_size)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"],
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
    ) -> tuple[Float[Tensor, "batch seq hidden_size"], Float[Tensor, "batch hidden_size"]]:
        """The output of the last layer, and the pooled output: tanh of `pooler` of its first token.

        The embeddings are the layer norm of the sum of word, position (0, 1, …) and token type. A layer is
        post-norm: x becomes norm1(x + attention(x)), and that, h, norm2(h + down_proj(GELU(up_proj(h)))).
        Attention is multi-head with scores scaled by 1 / sqrt(head_dim), `o_proj` included; GELU is the exact
        one, with erf. The pooler reads the output of the last layer.

        input_ids: int64, seq at most max_position. token_type_ids: int64; None means type 0 for all.
        attention_mask: True = real token; the others are attended to by nobody, and their rows of the first
        result are not compared. The first token of each sequence is real. None means that all tokens are
        attended to, also those with pad_id.

        The results have the parameters' dtype (float32 or float64). Scores of up to 3000, of either sign, do
        not overflow, and tokens that are not real get no weight with them either. Gradients reach every
        parameter. No argument is modified. Nothing lands on the default device where the arguments are on
        another.
        """
        x = self.embeddings(input_ids, token_type_ids)
        mask = None
        if attention_mask is not None:
            # Who is asked matters, not who asks: one row of keys for all heads and queries of a sequence.
            mask = attention_mask[:, None, None, :]  # (batch, 1, 1, seq)
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


class _Embeddings(nn.Module):
    """The norm of the sum of word, position and token type embeddings."""

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position: int,
        type_vocab_size: int,
        pad_id: int,
        eps: float,
        dropout: float,
    ) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, hidden_size, padding_idx=pad_id)
        self.position_embeddings = nn.Embedding(max_position, hidden_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, hidden_size)
        self.norm = nn.LayerNorm(hidden_size, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None) -> Tensor:
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        words = self.word_embeddings(input_ids)  # (batch, seq, hidden_size)
        summed = words + self.position_embeddings(positions) + self.token_type_embeddings(token_type_ids)
        return self.dropout(self.norm(summed))


class _Layer(nn.Module):
    """Self-attention and a feed-forward network, post-norm."""

    def __init__(
        self, hidden_size: int, num_heads: int, intermediate_size: int, eps: float, dropout: float
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps=eps)
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.activation = F.gelu
        self.down_proj = nn.Linear(intermediate_size, hidden_size)
        self.norm2 = nn.LayerNorm(hidden_size, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        x = self.norm1(x + self.dropout(self._attention(x, mask)))
        hidden = self.activation(self.up_proj(x))  # (batch, seq, intermediate_size)
        return self.norm2(x + self.dropout(self.down_proj(hidden)))

    def _attention(self, x: Tensor, mask: Tensor | None) -> Tensor:
        batch, seq, hidden_size = x.shape
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        # A function knows no evaluation mode: it drops whenever the probability is above 0.
        dropout_p = self.dropout.p if self.training else 0.0
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout_p)
        context = context.transpose(1, 2).reshape(batch, seq, hidden_size)  # (batch, seq, hidden_size)
        return self.o_proj(context)
