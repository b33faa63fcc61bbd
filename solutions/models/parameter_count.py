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
    if hidden_size % num_heads != 0:
        raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
    # Heads only cut the features up: their number does not appear again.
    attention = 4 * (hidden_size * hidden_size + hidden_size)
    feed_forward = 2 * hidden_size * intermediate_size + intermediate_size + hidden_size
    norm = 2 * hidden_size
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    final_norms = 2 * norm
    return encoder_layers * encoder_layer + decoder_layers * decoder_layer + final_norms


def embedding_parameters(src_vocab: int, tgt_vocab: int, hidden_size: int, tied: bool = False) -> int:
    """The parameters of what stands around it: the embeddings of source and target tokens, and the output
    projection from hidden_size to tgt_vocab, which has no bias.

    tied: the output projection uses the weights of the target embedding, which count once. The result is an
    int here, too.
    """
    embeddings = (src_vocab + tgt_vocab) * hidden_size
    output_projection = 0 if tied else hidden_size * tgt_vocab
    return embeddings + output_projection
