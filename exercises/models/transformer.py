"""The encoder-decoder transformer: reads one sequence of tokens, predicts another token by token.

From "Attention Is All You Need" (Vaswani et al., 2017). Nothing is forbidden: PyTorch's layers may be used.
What counts is what the model does. The weights, their names and their start, the kind of positions and the
order of the norms are free.
"""

from jaxtyping import Float, Int
from torch import Tensor, nn


class Transformer(nn.Module):
    """Encoder and decoder, each with embeddings, positions and num_layers layers with weights of their own.

    It works the same (but for rounding) in training mode with a dropout of 0, in evaluation, and in
    evaluation without gradients (torch.no_grad). In each of the three:
    - what the model predicts at a place depends on the target up to there, that place included, and on
      nothing behind it;
    - it depends on every token of the source that is no padding, and on the order of these tokens; it depends
      on the order of the earlier target tokens too;
    - padding appended to the source changes nothing, however much it is and whatever the other sequences of
      the batch hold;
    - no logit is NaN or infinite.
    """

    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        hidden_size: int,
        num_heads: int,
        num_layers: int,
        intermediate_size: int,
        max_len: int,
        pad_id: int = 0,
        dropout: float = 0.0,
    ) -> None:
        """src_vocab, tgt_vocab: tokens are 0 … src_vocab - 1 and 0 … tgt_vocab - 1.
        intermediate_size: the width of the feed-forward network in each layer.
        max_len: the longest source, its padding included, and the longest target.
        pad_id: the token that pads, in source and target. The source has padding at its end only, and at
        least one other token.
        dropout: a probability below 1; in training mode two calls differ, and gradients reach what they reach
            without it. In evaluation nothing is dropped.

        Every parameter is registered, so that it moves with the model and an optimizer finds it: with each
        layer the model has more of them. Raises ValueError (or AssertionError) if num_heads does not divide
        hidden_size.
        """
        raise NotImplementedError

    def encode(self, src: Int[Tensor, "batch src"]) -> Tensor:
        """What `decode` needs to know of the source, in whatever form: of any shape, and it need not be a
        tensor. src: int64.
        """
        raise NotImplementedError

    def decode(
        self, tgt: Int[Tensor, "batch tgt"], memory: Tensor, src: Int[Tensor, "batch src"]
    ) -> Float[Tensor, "batch tgt tgt_vocab"]:
        """The logits of the token after each place of the target. memory is what `encode` gave: what is known
        of the source comes from there, src only tells where its padding is.

        tgt: int64, with a start token first, so that no target begins with padding. Padding may stand at its
        end; what is predicted there does not count.
        """
        raise NotImplementedError

    def forward(
        self, src: Int[Tensor, "batch src"], tgt: Int[Tensor, "batch tgt"]
    ) -> Float[Tensor, "batch tgt tgt_vocab"]:
        """`decode` of `encode`: the logits for all places of the target at once.

        They have the dtype of the parameters: float32, or float64 after `.double()`. No argument is modified,
        and no call depends on an earlier one. Nothing lands on the default device where the arguments are
        on another.

        It learns: with hidden_size 32, four heads and one layer, trained for 400 steps of Adam (16 sequences
        each, a learning rate of 3e-3) to copy two to five tokens, its cross entropy on new ones is below 0.7,
        where guessing gives above 2.
        """
        raise NotImplementedError
