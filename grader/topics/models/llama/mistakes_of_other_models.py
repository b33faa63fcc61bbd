"""Known wrong versions of `llama` that do what other models do, or use what another model has left."""

from grader.kit import Mistake

_EMBEDDING = "nn.Embedding(vocab_size, hidden_size)"
_TABLES = "        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)"

MISTAKES = [
    Mistake(
        "last-token-taken-for-padding",
        find=_EMBEDDING,
        replace="nn.Embedding(vocab_size, hidden_size, padding_idx=-1)",
        says="The last token of the vocabulary gets no gradient: it is taken for padding (by padding_idx=-1, "
        "for example). No token is padding here: all of them are trained.",
    ),
    Mistake(
        "tables-shared-with-another-base",
        find=_TABLES,
        replace="""\
        shared = type(self).__dict__.get("shared", {})
        type(self).shared = shared
        tables = shared.setdefault((seq, self.head_dim), (angles.cos(), angles.sin()))
        return tables[0].to(x), tables[1].to(x)""",
        says="All models of one head_dim share the cosines and sines of the first of them, whatever their "
        "base is (a cache outside of the model whose key lacks the base, for example). The base belongs into "
        "the key, or the tables into the model.",
    ),
]
