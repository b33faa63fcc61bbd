"""How many parameters a transformer has: by arithmetic, in one's head, on a whiteboard.

"Attention Is All You Need" (Vaswani et al., 2017) as PyTorch builds it, nn.Transformer. Forbidden: torch,
however it is reached; nothing has to be built in order to count.
"""


def transformer_parameters(
    hidden_size: int, num_heads: int, intermediate_size: int, encoder_layers: int, decoder_layers: int
) -> int:
    """The parameters of nn.Transformer(hidden_size, num_heads, encoder_layers, decoder_layers,
    intermediate_size), without embeddings and output projection.

    An encoder layer has self-attention, a feed-forward network and 2 layer norms; a decoder layer has
    cross-attention as well and 3 layer norms. Attention: projections for query, key, value and output. The
    network: hidden_size to intermediate_size and back. All linear layers have biases, a norm has weight and
    bias. After its last layer each of the two stacks has one more norm.

    All numbers are at least 1, and may be large: any result below 2**63 is exact, an int and no float of the
    same value.
    Raises ValueError (or AssertionError) if num_heads does not divide hidden_size.
    """
    raise NotImplementedError


def embedding_parameters(src_vocab: int, tgt_vocab: int, hidden_size: int, tied: bool = False) -> int:
    """The parameters of what stands around it: the embeddings of source and target tokens, and the output
    projection from hidden_size to tgt_vocab, which has no bias.

    tied: the output projection uses the weights of the target embedding, which count once. The result is an
    int here, too.
    """
    raise NotImplementedError
