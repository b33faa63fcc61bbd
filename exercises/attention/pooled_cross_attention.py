"""Cross-attention over a down-sampled context: windows of tokens are averaged before they are read.

As in "Generating Wikipedia by Summarizing Long Sequences" (Liu et al., 2018; a strided convolution there) and
Pyramid Vision Transformers v2 (Wang et al., 2021; an average, as here). Forbidden: nn.MultiheadAttention.
"""

from jaxtyping import Bool, Float
from torch import Tensor, nn


class PooledCrossAttention(nn.Module):
    """Multi-head attention from x over the means of windows of context.

    Parameters, each an `nn.Linear` with a bias from hidden_size to hidden_size, and no others (buffers are
    free): `q_proj`, `k_proj`, `v_proj`, `o_proj`. Head i owns the features i * head_dim …
    (i + 1) * head_dim - 1 of the outputs of the first three, with head_dim = hidden_size // num_heads;
    `o_proj` gets the heads' results side by side in the same order.
    """

    def __init__(self, hidden_size: int, num_heads: int, stride: int, dropout: float = 0.0) -> None:
        """stride: how many tokens of context make a window, at least 1.

        dropout: probability of dropping an attention weight, in [0, 1), in training mode only.
        Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
        """
        raise NotImplementedError

    def forward(
        self,
        x: Float[Tensor, "batch tgt hidden_size"],
        context: Float[Tensor, "batch src hidden_size"],
        padding_mask: Bool[Tensor, "batch src"] | None = None,
    ) -> Float[Tensor, "batch tgt hidden_size"]:
        """Attention of every token of x over windows of context, with scores scaled by 1 / sqrt(head_dim).

        Window n holds the tokens n * stride … (n + 1) * stride - 1 of context. The last one may be shorter,
        and src may be less than stride. Keys and values come from the windows' means: of a shorter window the
        mean of the tokens that it has.

        padding_mask: True = a real token. The mean of a window is then that of its real tokens alone, and a
        window without any gets no weight. Each row has at least one real token, anywhere; padded tokens hold
        finite numbers, in size like the real ones, which change nothing.

        Dropout acts on the attention weights, each on its own, as nn.Dropout does, after the softmax and
        before the product with the values; in evaluation there is none. The result has the dtype and device
        of x, context and the parameters (float32 or float64). Scores of up to a few thousand, of either sign,
        do not overflow. Gradients reach x, context and every parameter. No argument is modified.
        """
        raise NotImplementedError
