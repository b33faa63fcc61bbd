"""Known wrong versions of `parameter_count` for which two vocabularies of one size are one vocabulary."""

from grader.kit import Mistake

EMBEDDINGS = "    embeddings = (src_vocab + tgt_vocab) * hidden_size"
APART = (
    "Two vocabularies of one size need not be the same, and nothing says that the embeddings are shared: "
    "count both, whatever their sizes."
)

MISTAKES = [
    Mistake(
        "tied-counts-equal-vocabularies-once",
        find=EMBEDDINGS,
        replace="""\
    rows = src_vocab if tied and src_vocab == tgt_vocab else src_vocab + tgt_vocab
    embeddings = rows * hidden_size""",
        says="Where it is tied and both vocabularies have one size you count one matrix for all three. Only "
        f"the output projection and the target embedding share theirs. {APART}",
    ),
    Mistake(
        "equal-vocabularies-counted-once",
        find=EMBEDDINGS,
        replace="""\
    rows = src_vocab if src_vocab == tgt_vocab else src_vocab + tgt_vocab
    embeddings = rows * hidden_size""",
        says=f"Where both vocabularies have one size you count one embedding for source and target. {APART}",
    ),
]
