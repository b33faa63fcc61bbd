"""Known wrong versions of `beam_search` that keep tokens in one buffer and reorder its rows."""

from grader.kit import Mistake

BEGINNING = "    beam = [([bos_id], 0.0)]  # (tokens, sum of log-probabilities), best first\n"
SPLIT = """\
        finished = [(tokens, total) for tokens, total in beam if tokens[-1] == eos_id]
        unfinished = [(tokens, total) for tokens, total in beam if tokens[-1] != eos_id]
"""
CANDIDATES = """\
        candidates = finished
"""
ADDED = "candidates.append((unfinished[parent][0] + [token], total))"
BEAM = "        beam = candidates[:beam_width]\n"

MISTAKES = [
    Mistake(
        "rows-overwritten-before-they-are-read",
        find=BEGINNING,
        replace=f"{BEGINNING}    ended = [False]\n",
        also=(
            (
                SPLIT,
                """\
        rows = [tokens for tokens, _ in beam]
        unfinished = [(*beam[row], row) for row in range(len(beam)) if not ended[row]]
""",
            ),
            (
                CANDIDATES,
                """\
        candidates = [(row, total, None) for row, (_, total) in enumerate(beam) if ended[row]]
""",
            ),
            (
                "torch.tensor([tokens for tokens, _ in unfinished])",
                "torch.tensor([tokens for tokens, _, _ in unfinished])",
            ),
            (
                "torch.tensor([total for _, total in unfinished], dtype",
                "torch.tensor([total for _, total, _ in unfinished], dtype",
            ),
            (ADDED, "candidates.append((unfinished[parent][2], total, token))"),
            (
                BEAM,
                """\
        lengths, length = [len(tokens) for tokens in rows], len(unfinished[0][0])
        beam, ended = [], []
        for place, (row, total, token) in enumerate(candidates[:beam_width]):
            tokens = rows[row] + [0] * length
            tokens = tokens[: lengths[row]] if token is None else tokens[:length] + [token]
            rows[place : place + 1] = [tokens]
            beam.append((tokens, total))
            ended.append(token is None or token == eos_id)
""",
            ),
        ),
        says="Hypotheses get the tokens of others: you put the kept ones into the rows of one buffer, one "
        "after the other, and a row may be overwritten before the next one is made from it. Read all parents "
        "first (buffer[parents] makes a new tensor), or give each hypothesis a list of its own.",
    ),
]
