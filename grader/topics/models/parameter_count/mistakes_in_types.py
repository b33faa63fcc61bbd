"""Known wrong versions of `parameter_count` whose results are NumPy's integers."""

from grader.kit import Mistake

BOTH = (
    ("    return encoder_layers * encoder_layer", "    return np.int64(encoder_layers) * encoder_layer"),
    ("    return embeddings + output_projection", "    return np.int64(embeddings + output_projection)"),
)
FIRST = "def transformer_parameters("

MISTAKES = [
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
]
