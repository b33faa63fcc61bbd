"""Known wrong versions of `sinusoidal` that lose dimensions of size 1, or the places of some tokens."""

from grader.kit import Mistake

TABLE = "    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)"
ADDED = "        return rows + self.encoding[: token_ids.shape[1]]"

MISTAKES = [
    Mistake(
        "table-squeezed",
        find=TABLE,
        replace=f"{TABLE}.squeeze()",
        says="The table of one position has lost a dimension: squeeze() takes it out, for example. It is "
        "(seq_len, dim), here (1, dim).",
    ),
    *(
        Mistake(
            f"result-squeezed{ending}",
            find=ADDED,
            replace=f"        return (rows + self.encoding[: token_ids.shape[1]]).squeeze({dim})",
            says=f"{lost} in what the embedding gives: squeeze({dim}) takes {it} out, for example. It is "
            "(batch, seq, hidden_size) whatever the sizes.",
        )
        for ending, dim, lost, it in (
            ("", "", "All dimensions of size 1 are missing", "them"),
            ("-along-the-batch", "0", "A batch of one is missing", "it"),
            ("-along-the-text", "1", "A single token's dimension is missing", "it"),
        )
    ),
    *(
        Mistake(
            f"no-encoding-at-token-{token}",
            find=ADDED,
            replace=f"""\
        counts = (token_ids != {token})[..., None]
        return rows + self.encoding[: token_ids.shape[1]] * counts""",
            says=f"Where a token has the id {token} you add no encoding, as if it were padding. Here there "
            "is none: each id is a token like the others, and its place counts.",
        )
        for token in (0, 1)
    ),
]
