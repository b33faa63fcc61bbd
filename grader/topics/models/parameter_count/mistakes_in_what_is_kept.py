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
]
