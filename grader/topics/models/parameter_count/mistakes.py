"""Known wrong versions of `parameter_count`."""

from grader.kit import Mistake

ATTENTION = "attention = 4 * (hidden_size * hidden_size + hidden_size)"
NETWORK = "feed_forward = 2 * hidden_size * intermediate_size + intermediate_size + hidden_size"
RESULT = "    return encoder_layers * encoder_layer + decoder_layers * decoder_layer + final_norms"

MISTAKES = [
    Mistake(
        "attention-without-biases",
        find=ATTENTION,
        replace="attention = 4 * hidden_size * hidden_size",
        says="You leave out the biases of the attention's projections: 4 * hidden_size in each attention.",
    ),
    Mistake(
        "no-output-projection",
        find=ATTENTION,
        replace="attention = 3 * (hidden_size * hidden_size + hidden_size)",
        says="You count three projections in an attention, query, key and value. The fourth is the output "
        "projection.",
    ),
    Mistake(
        "output-projection-without-bias",
        find=ATTENTION,
        replace="attention = 4 * hidden_size * hidden_size + 3 * hidden_size",
        says="You count one bias too few in an attention, that of the output projection for example. All "
        "four projections have one, hidden_size numbers each.",
    ),
    Mistake(
        "query-key-value-without-biases",
        find=ATTENTION,
        replace="attention = 4 * hidden_size * hidden_size + hidden_size",
        says="You count hidden_size numbers for the biases of an attention, as if only one of its "
        "projections (the output projection, for example) had one. All four have: 4 * hidden_size numbers.",
    ),
    Mistake(
        "two-biases-in-an-attention",
        find=ATTENTION,
        replace="attention = 4 * hidden_size * hidden_size + 2 * hidden_size",
        says="You count two biases in an attention, for example one for query, key and value together and "
        "one for the output projection. All four projections have one: where one matrix makes query, key and "
        "value, its bias has 3 * hidden_size numbers.",
    ),
    Mistake(
        "biases-of-one-head",
        find=ATTENTION,
        replace="attention = 4 * hidden_size * hidden_size + 3 * (hidden_size // num_heads) + hidden_size",
        says="You count head_dim numbers for the bias of query, of key and of value. They are those of one "
        "head: all heads together have hidden_size.",
    ),
    Mistake(
        "projections-for-each-head",
        find=ATTENTION,
        replace="attention = 4 * num_heads * (hidden_size * hidden_size + hidden_size)",
        says="You count full projections for each head. All heads together have hidden_size features: their "
        "number does not matter.",
    ),
    Mistake(
        "query-key-value-for-each-head",
        find=ATTENTION,
        replace="attention = (3 * num_heads + 1) * (hidden_size * hidden_size + hidden_size)",
        says="You count full projections to query, key and value for each head. All heads together have "
        "hidden_size features: their number does not matter.",
    ),
    Mistake(
        "count-as-a-float",
        find=ATTENTION,
        replace="""\
head_dim = hidden_size / num_heads
    attention = 4 * (num_heads * head_dim * hidden_size + hidden_size)""",
        says="Your count is a float: you divide with /, for example to get head_dim. Asked for is an int, "
        "and exact: divide with //.",
    ),
    Mistake(
        "count-rounded-on-the-way",
        find=ATTENTION,
        replace="""\
head_dim = hidden_size / num_heads
    attention = 4 * (num_heads * head_dim * hidden_size + hidden_size)""",
        also=((RESULT, f"    return int({RESULT.removeprefix('    return ')})"),),
        says="Your count is an int, but on the way it is a float, by a division with / for example. A float "
        "has 53 bits: a larger count is rounded, and int(...) afterwards comes too late. Add and multiply "
        "whole numbers, and use // where a division comes out even (hidden_size // num_heads).",
    ),
    Mistake(
        "projections-of-one-head",
        find=ATTENTION,
        replace="attention = 4 * (hidden_size * hidden_size + hidden_size) // num_heads",
        says="You count the projections of one head. All heads together make hidden_size features.",
    ),
    Mistake(
        "network-without-biases",
        find=NETWORK,
        replace="feed_forward = 2 * hidden_size * intermediate_size",
        says="You leave out the biases of the feed-forward network: intermediate_size and hidden_size of "
        "them.",
    ),
    Mistake(
        "both-biases-of-the-same-size",
        find=NETWORK,
        replace="feed_forward = 2 * hidden_size * intermediate_size + 2 * intermediate_size",
        says="You count intermediate_size for both biases of the network. A bias has the size of the "
        "output: the second one has hidden_size.",
    ),
    Mistake(
        "both-biases-as-wide-as-the-model",
        find=NETWORK,
        replace="feed_forward = 2 * hidden_size * intermediate_size + 2 * hidden_size",
        says="You count hidden_size for both biases of the network. A bias has the size of the output: the "
        "first one has intermediate_size.",
    ),
    Mistake(
        "one-matrix-in-the-network",
        find=NETWORK,
        replace="feed_forward = hidden_size * intermediate_size + intermediate_size",
        says="You count one matrix in the feed-forward network. There are two: to intermediate_size and "
        "back.",
    ),
    Mistake(
        "three-matrices-in-the-network",
        find=NETWORK,
        replace="feed_forward = 3 * hidden_size * intermediate_size + 2 * intermediate_size + hidden_size",
        says="You count three matrices in the feed-forward network, as in SwiGLU. nn.Transformer's has two.",
    ),
    Mistake(
        "intermediate-size-of-four",
        find=NETWORK,
        replace="feed_forward = 8 * hidden_size * hidden_size + 5 * hidden_size",
        says="You take 4 * hidden_size for the network, whatever intermediate_size is.",
    ),
    Mistake(
        "norms-without-bias",
        find="norm = 2 * hidden_size",
        replace="norm = hidden_size",
        says="You count one vector for a norm, as for RMSNorm. A layer norm has a weight and a bias.",
    ),
    Mistake(
        "no-norms",
        find="norm = 2 * hidden_size",
        replace="norm = 0",
        says="You leave out the layer norms: each has a weight and a bias of hidden_size.",
    ),
    Mistake(
        "one-attention-in-the-decoder",
        find="decoder_layer = 2 * attention",
        replace="decoder_layer = attention",
        says="You count one attention in a decoder layer. There are two: self-attention and cross-attention.",
    ),
    Mistake(
        "cross-attention-of-two-projections",
        find="decoder_layer = 2 * attention",
        replace="decoder_layer = attention + attention // 2",
        says="You count two projections in the cross-attention (for example as if the encoder's output were "
        "keys and values already). It has all four of its own, in each decoder layer: key and value project "
        "what the encoder gives, query and output what the decoder has.",
    ),
    Mistake(
        "cross-attention-of-three-projections",
        find="decoder_layer = 2 * attention",
        replace="decoder_layer = attention + 3 * attention // 4",
        says="You count three projections in the cross-attention. It has four of its own, as the "
        "self-attention has: query, key, value and output.",
    ),
    Mistake(
        "two-norms-in-the-decoder",
        find="3 * norm",
        replace="2 * norm",
        says="You count two norms in a decoder layer. There are three, one for each part.",
    ),
    Mistake(
        "decoder-like-encoder",
        find="decoder_layer = 2 * attention + feed_forward + 3 * norm",
        replace="decoder_layer = encoder_layer",
        says="You count a decoder layer like an encoder layer. It has a cross-attention more, with its norm.",
    ),
    Mistake(
        "one-norm-in-a-layer",
        find="encoder_layer = attention + feed_forward + 2 * norm",
        replace="encoder_layer = attention + feed_forward + norm",
        says="You count one norm in an encoder layer. There are two, one for each part.",
    ),
    Mistake(
        "no-final-norms",
        find="final_norms = 2 * norm",
        replace="final_norms = 0",
        says="You leave out the norms after the last layer of encoder and decoder: nn.Transformer has one "
        "in each of the two stacks.",
    ),
    Mistake(
        "one-final-norm",
        find="final_norms = 2 * norm",
        replace="final_norms = norm",
        says="You count one norm behind the layers. nn.Transformer has one after the encoder and one after "
        "the decoder.",
    ),
    Mistake(
        "stacks-exchanged",
        find=RESULT,
        replace="    return decoder_layers * encoder_layer + encoder_layers * decoder_layer + final_norms",
        says="You have exchanged the numbers of layers: encoder_layers comes first.",
    ),
    *(
        Mistake(
            f"both-stacks-of-{stack}-layers",
            find=RESULT,
            replace=f"    return {stack}_layers * (encoder_layer + decoder_layer) + final_norms",
            says=f"You count {stack}_layers layers in both stacks, which is right only where both have as "
            f"many, as in the paper. The {other} has {other}_layers of them.",
        )
        for stack, other in (("encoder", "decoder"), ("decoder", "encoder"))
    ),
    Mistake(
        "divisibility-unchecked",
        find="""\
    if hidden_size % num_heads != 0:
        raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
""",
        replace="",
        says="You accept a num_heads that does not divide hidden_size. There is no such model: raise a "
        "ValueError.",
    ),
    Mistake(
        "output-projection-with-bias",
        find="0 if tied else hidden_size * tgt_vocab",
        replace="tgt_vocab if tied else hidden_size * tgt_vocab + tgt_vocab",
        says="You count a bias of the output projection. Here it has none.",
    ),
    Mistake(
        "output-projection-left-out",
        find="0 if tied else hidden_size * tgt_vocab",
        replace="0",
        says="You leave out the output projection also where it is not tied. It then has hidden_size * "
        "tgt_vocab weights of its own.",
    ),
    Mistake(
        "tied-ignored",
        find="0 if tied else hidden_size * tgt_vocab",
        replace="hidden_size * tgt_vocab",
        says="You count the output projection also where it is tied. It then is the target embedding's "
        "matrix.",
    ),
    Mistake(
        "tied-by-default",
        find="tied: bool = False",
        replace="tied: bool = True",
        says="You tie the output projection where nothing is said. The default is False.",
    ),
    Mistake(
        "tied-inverted",
        find="0 if tied else hidden_size * tgt_vocab",
        replace="hidden_size * tgt_vocab if tied else 0",
        says="You have it the wrong way round: tied means that the output projection has no weights of its "
        "own.",
    ),
    Mistake(
        "tied-counts-one-embedding",
        find="(src_vocab + tgt_vocab) * hidden_size",
        replace="((0 if tied else src_vocab) + tgt_vocab) * hidden_size",
        says="Where it is tied you count one matrix for all three. Only the output projection and the "
        "target embedding share theirs; the source has its own vocabulary.",
    ),
    Mistake(
        "tied-counts-the-larger-vocabulary",
        find="    embeddings = (src_vocab + tgt_vocab) * hidden_size",
        replace="""\
    rows = max(src_vocab, tgt_vocab) if tied else src_vocab + tgt_vocab
    embeddings = rows * hidden_size""",
        says="Where it is tied you count one matrix for all three. Only the output projection and the "
        "target embedding share theirs; the source has its own vocabulary.",
    ),
    Mistake(
        "tied-counts-the-source-alone",
        find="    embeddings = (src_vocab + tgt_vocab) * hidden_size",
        replace="""\
    rows = src_vocab if tied else src_vocab + tgt_vocab
    embeddings = rows * hidden_size""",
        says="Where it is tied you count src_vocab * hidden_size alone: the source embedding. The target has "
        "an embedding of its own, tgt_vocab * hidden_size, which the output projection shares with it.",
    ),
    Mistake(
        "projection-to-the-source-vocabulary",
        find="0 if tied else hidden_size * tgt_vocab",
        replace="0 if tied else hidden_size * src_vocab",
        says="Your output projection goes to src_vocab. What is predicted are target tokens.",
    ),
]
