"""Known wrong versions of `local_attention` that take blocks for windows or rows, or only whole ones."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import score_mistakes

OWN = "max(window, 1)"
BLOCK = f"    block = {OWN}\n"
BOUNDS = "        first, last = max(start - window, 0), min(end + window, seq)"
MASK = "        mask = (places[start:end, None] - places[first:last]).abs() <= window"
MASKING = "        scores = scores.masked_fill(~mask, -math.inf)\n"
LOOP = "range(0, seq, block)"
RESULT = "return torch.cat(results, dim=2)"
SOFTMAX = "        weights = torch.softmax(scores, dim=-1)"

MISTAKES = [
    # 16, 32, 64 and 128 leave as many tokens of the checks' sequences over.
    *(
        Mistake(
            f"rest-left-at-zero-{block}",
            find=BLOCK,
            replace=f"    block = min({block}, seq)\n",
            also=(
                (LOOP, "range(0, seq - seq % block, block)"),
                (
                    RESULT,
                    "return torch.nn.functional.pad(torch.cat(results, dim=2), (0, 0, 0, seq % block))",
                ),
            ),
            says="The tokens that do not fill a whole block have zeros in your result: seq // block blocks "
            "end before them, for example. No block size need divide seq: round their number up, and let "
            "the last block be shorter.",
        )
        for block in (OWN, 48, 64, 100, 256)
    ),
    *(
        Mistake(
            f"rest-left-out-of-blocks-of-{block}",
            find=BLOCK,
            replace=f"    block = min({block}, seq)\n",
            also=((LOOP, "range(0, seq - seq % block, block)"),),
            says="The tokens that do not fill a whole block are missing in your result, which is not noticed "
            "while one block holds all. The last block may be shorter.",
        )
        for block in (48, 64, 100, 256)
    ),
    *(
        Mistake(
            f"blocks-instead-of-windows-{name}",
            find=BLOCK,
            replace=f"    block = {block}\n",
            also=((BOUNDS, "        first, last = start, end"), (MASKING, masking)),
            says=f"You cut the sequence into blocks of {words} tokens, and queries see {seen} their own "
            "block only. A window goes with its query, |i - j| <= window: the first token of a block has "
            "neighbours before it, and the last one behind it.",
        )
        for name, block, words, masking, seen in (
            ("of-both-sides", "2 * window + 1", "2 * window + 1", "", "all keys of"),
            ("of-both-sides-in-the-band", "2 * window + 1", "2 * window + 1", MASKING, "their neighbours in"),
            ("of-twice-the-window", "max(2 * window, 1)", "2 * window", "", "all keys of"),
            (
                "of-twice-the-window-in-the-band",
                "max(2 * window, 1)",
                "2 * window",
                MASKING,
                "their neighbours in",
            ),
            ("of-one-side", "window + 1", "window + 1", "", "all keys of"),
        )
    ),
    *(
        Mistake(
            f"distances-of-the-other-side-{side}",
            find=MASK,
            replace=f"""\
        row, column = places[start:end, None], places[first:last]
        copied = block + {copied}
        mask = torch.where({where}, copied, (row - column).abs()) <= window""",
            also=((BLOCK, f"    window = min(window, seq)\n{BLOCK}"),),
            says=f"In the {side} block your distances are those to the block on the other side (copied, for "
            "example, without exchanging rows and columns). Row i and column j of two such neighbours are "
            f"{right} apart. Or compare places in the sequence, and no side needs its own formula.",
        )
        for side, where, copied, right in (
            ("next", "column >= end", "row % block - column % block", "size + j - i"),
            ("previous", "column < start", "column % block - row % block", "size + i - j"),
        )
    ),
    *(
        Mistake(
            f"largest-of-{name}-subtracted",
            find=SOFTMAX,
            replace=f"""\
        exps = torch.exp(scores - {largest})
        weights = exps / exps.sum(dim=-1, keepdim=True)""",
            also=((BLOCK, f"    block = {block}\n"),) if block != OWN else (),
            says=score_mistakes.largest_of_all_subtracted().says,
        )
        for name, largest, block in (
            ("all-as-a-constant", "scores.detach().max()", OWN),
            ("a-large-block", "scores.max()", 64),
            ("a-large-block-as-a-constant", "scores.detach().max()", 64),
            ("each-head", "scores.amax(dim=(-2, -1), keepdim=True)", OWN),
            ("each-head-as-a-constant", "scores.detach().amax(dim=(-2, -1), keepdim=True)", OWN),
            ("each-head-in-a-large-block", "scores.amax(dim=(-2, -1), keepdim=True)", 64),
            (
                "each-head-in-a-large-block-as-a-constant",
                "scores.detach().amax(dim=(-2, -1), keepdim=True)",
                64,
            ),
        )
    ),
    *(
        Mistake(
            f"largest-of-{name}-hidden-too-subtracted",
            find=MASKING,
            replace="",
            also=(
                (
                    SOFTMAX,
                    f"""\
        exps = torch.exp(scores - scores.detach().{largest}) * mask
        weights = exps / exps.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(exps.dtype).tiny)""",
                ),
                *(((BLOCK, f"    block = {block}\n"),) if block != OWN else ()),
            ),
            says="You subtract one maximum for many rows before exp, hidden scores included. All "
            "weights of a row whose own scores are far below it underflow to 0, and its result is 0. "
            "Each row has a maximum of its own, taken over what it sees.",
        )
        for name, largest, block in (
            ("all", "max()", OWN),
            ("a-large-block", "max()", 80),
            ("each-head", "amax(dim=(-2, -1), keepdim=True)", OWN),
            ("each-head-in-a-large-block", "amax(dim=(-2, -1), keepdim=True)", 80),
        )
    ),
]
