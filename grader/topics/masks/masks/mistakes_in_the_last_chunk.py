"""Known wrong versions of `masks` whose chunks are right but for a last, shorter one."""

from grader.kit import Mistake

SAME = "    same = chunk[:, None] == chunk"
WHOLE = "max(seq_len // chunk_size, 1)"

MISTAKES = [
    Mistake(
        "last-chunk-hidden",
        find=SAME,
        replace=f"{SAME}\n    same = same & (chunk < {WHOLE})",
        says="In your chunked mask the tokens of a last, shorter chunk see nothing: you make whole chunks "
        "only, seq_len // chunk_size of them, for example. What is left over is a chunk too: round their "
        "number up.",
    ),
    Mistake(
        "chunks-shorter-than-their-size-hidden",
        find=SAME,
        replace=f"{SAME}\n    same = same & (chunk < seq_len // chunk_size)",
        says="In your chunked mask the tokens of a chunk that is shorter than chunk_size see nothing, also "
        "where it is the only one. Whole chunks are seq_len // chunk_size; what is left over is a chunk too: "
        "round their number up.",
    ),
    Mistake(
        "last-chunk-joined-to-the-one-before",
        find=SAME,
        replace=f"    chunk = chunk.clamp(max={WHOLE} - 1)\n{SAME}",
        says="In your chunked mask the tokens that do not fill a whole chunk belong to the one before. They "
        "are a chunk of their own, which is shorter.",
    ),
    Mistake(
        "last-chunk-sees-itself-alone",
        find=SAME,
        replace=f"{SAME}\n    alone = torch.eye(seq_len, dtype=torch.bool)\n"
        f"    same = same & ((chunk < {WHOLE}) | alone)",
        says="In your chunked mask each token of a last, shorter chunk sees itself alone. It is a chunk like "
        "the others: causal within it.",
    ),
]
