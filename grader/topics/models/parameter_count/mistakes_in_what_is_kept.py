"""Known wrong versions of `parameter_count` that keep what a layer has for the next call."""

from grader.kit import Mistake

NETWORK = "    norm = 2 * hidden_size\n"

MISTAKES = [
    Mistake(
        "networks-kept-by-the-hidden-size",
        find=NETWORK,
        replace=f"    feed_forward = _KEPT.setdefault(hidden_size, feed_forward)\n{NETWORK}",
        also=(
            ("def transformer_parameters(", "_KEPT: dict[int, int] = {}\n\n\ndef transformer_parameters("),
        ),
        says="You keep what a layer has in a table by hidden_size alone (and the kind of layer, say): a "
        "second call with another intermediate_size gets the old network. What is kept has to be looked "
        "up by all that it depends on.",
    ),
    *(
        Mistake(
            f"cross-attention-{name}-once",
            find="decoder_layer = 2 * attention +",
            replace=f"decoder_layer = 2 * attention - {size} +",
            also=(("final_norms = 2 * norm", f"final_norms = 2 * norm + {size}"),),
            says=f"You count {what} once for all decoder layers. The encoder's output is the same in each, "
            "but every layer projects it with weights of its own: count them decoder_layers times.",
        )
        for name, size, what in (
            ("keys-and-values", "attention // 2", "the key and value projections of the cross-attention"),
            ("as-a-whole", "attention", "the cross-attention"),
        )
    ),
]
