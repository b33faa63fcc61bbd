"""Known wrong versions of `parameter_count` that count in NumPy's integers."""

from grader.kit import Mistake

BOTH = (
    ("    return encoder_layers * encoder_layer", "    return np.int64(encoder_layers) * encoder_layer"),
    ("    return embeddings + output_projection", "    return np.int64(embeddings + output_projection)"),
)
FIRST = "def transformer_parameters("

ATTENTION = "attention = 4 * (hidden_size * hidden_size + hidden_size)"
NETWORK = "feed_forward = 2 * hidden_size * intermediate_size + intermediate_size"

MISTAKES = [
    Mistake(
        "matrices-in-int32",
        find=ATTENTION,
        replace=ATTENTION.replace("hidden_size * hidden_size", "_wrapped(hidden_size * hidden_size)"),
        also=(
            (
                NETWORK,
                NETWORK.replace(
                    "hidden_size * intermediate_size", "_wrapped(hidden_size * intermediate_size)"
                ),
            ),
            (FIRST, f"def _wrapped(n: int) -> int:\n    return (n + 2**31) % 2**32 - 2**31\n\n\n{FIRST}"),
        ),
        says="The elements of a matrix are multiplied in int32 (NumPy's, for example), which wraps round "
        "from 2**31 on. Python's own int has no such end.",
    ),
    *(
        Mistake(
            f"numpy-int64-{name}",
            find=FIRST,
            replace=f"import numpy as np\n\n\n{FIRST}",
            also=also,
            says=f"{what} NumPy's int64, which is no int. A sum or product of an array is one, for example: "
            "int(…) makes an int of it.",
        )
        for name, also, what in (
            ("of-the-transformer", BOTH[:1], "Your transformer_parameters gives"),
            ("of-the-embeddings", BOTH[1:], "Your embedding_parameters gives"),
            ("of-both", BOTH, "Your functions give"),
        )
    ),
    *(
        Mistake(
            f"float-of-the-embeddings{ending}",
            find=BOTH[1][0],
            replace=f"    return (embeddings + output_projection) * {one}",
            says=f"Your embedding_parameters gives a float{where}: a share of 0.5 is one, for example, and "
            "so is what it is multiplied with. A count is an int.",
        )
        for ending, one, where in (
            ("", "1.0", ""),
            ("-where-tied", "(1.0 if tied else 1)", " where they are tied"),
            ("-where-not-tied", "(1 if tied else 1.0)", " where they are not tied"),
        )
    ),
]
