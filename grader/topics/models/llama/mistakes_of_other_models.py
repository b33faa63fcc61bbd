"""Known wrong versions of `llama` that do what other models do."""

from grader.kit import Mistake

_EMBEDDING = "nn.Embedding(vocab_size, hidden_size)"

MISTAKES = [
    Mistake(
        "last-token-taken-for-padding",
        find=_EMBEDDING,
        replace="nn.Embedding(vocab_size, hidden_size, padding_idx=-1)",
        says="The last token of the vocabulary gets no gradient: it is taken for padding (by padding_idx=-1, "
        "for example). No token is padding here: all of them are trained.",
    ),
]
