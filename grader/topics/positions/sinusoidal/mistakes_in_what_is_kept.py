"""Known wrong versions of `sinusoidal` that write into the table they have kept."""

from grader.kit import Mistake

ADDED = "        return rows + self.encoding[: token_ids.shape[1]]"

MISTAKES = [
    Mistake(
        "tokens-added-into-the-buffer",
        find=ADDED,
        replace="""\
        out = self.encoding[: token_ids.shape[1]].expand(len(token_ids), -1, -1).contiguous()
        out += rows
        return out""",
        says="With a batch of one, the tokens are added into the encoding that you keep, and the next call "
        "finds it changed: expand(...).contiguous(), for example, is no copy where the memory is in order "
        "already. Add without +=, or take a clone() first.",
    ),
]
