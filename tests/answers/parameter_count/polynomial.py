"""One polynomial."""


def transformer_parameters(
    hidden_size: int, num_heads: int, intermediate_size: int, encoder_layers: int, decoder_layers: int
) -> int:
    h, m, e, d = hidden_size, intermediate_size, encoder_layers, decoder_layers
    if h % num_heads:
        raise ValueError("no such model")
    return (4 * e + 8 * d) * h**2 + (e + d) * (2 * h + 1) * m + (9 * e + 15 * d + 4) * h


def embedding_parameters(src_vocab: int, tgt_vocab: int, hidden_size: int, tied: bool = False) -> int:
    return hidden_size * (src_vocab + (2 - tied) * tgt_vocab)
