"""Known wrong versions of `greedy_decode` that make other numbers of the logits before they compare them."""

from grader.kit import Mistake

_BEST = "        best = next_logits(tokens).argmax(dim=-1)  # (batch_size,)\n"

MISTAKES = [
    Mistake(
        "logits-cut-from-below",
        find="next_logits(tokens).argmax",
        replace="next_logits(tokens).clamp(min=-1e9).argmax",
        says="You raise logits to a least value, -1e4 or -1e9 for example (because of -inf), or begin the "
        "search for the largest with it, so that where all are lower they count the same. Logits are of any "
        "size: argmax can do with -inf.",
    ),
    Mistake(
        "logits-replaced-where-infinite",
        find="next_logits(tokens).argmax",
        replace="next_logits(tokens).nan_to_num(neginf=-1e9).argmax",
        says="You put a number in the place of -inf, -1e9 for example, and where all other logits are lower "
        "a token comes that cannot follow. argmax can do with -inf.",
    ),
    Mistake(
        "largest-probability",
        find="next_logits(tokens).argmax",
        replace="next_logits(tokens).softmax(dim=-1).argmax",
        says="You take the largest probability, or log-probability, instead of the largest logit. The order "
        "is the same, but probabilities are rounded: of logits that are nearly the same they are equal, and "
        "the first comes. Compare the logits.",
    ),
    Mistake(
        "tokens-kept-by-the-model",
        find=_BEST,
        replace="""\
        kept = _KEPT.setdefault(next_logits, {})
        asked = tuple(map(tuple, tokens.tolist()))
        if asked not in kept:
            kept[asked] = next_logits(tokens)
        best = kept[asked].argmax(dim=-1)
""",
        also=(("from torch import Tensor\n", "from torch import Tensor\n\n_KEPT = {}\n"),),
        says="You keep what next_logits gave for the next call. The model may have learned in between, and "
        "then the old tokens come. Ask it anew in each call.",
    ),
    Mistake(
        "results-in-a-workspace-that-is-kept",
        find="def greedy_decode(",
        replace="_KEPT: dict = {}\n\n\ndef greedy_decode(",
        also=(
            (
                "    return tokens",
                """\
    rows = _KEPT.setdefault((batch_size, max_len), torch.empty(batch_size, max_len, dtype=torch.int64))
    rows[:, : tokens.shape[1]] = tokens
    return rows[:, : tokens.shape[1]]""",
            ),
        ),
        says="A second call overwrites the tokens that an earlier one gave: both are views of one tensor, "
        "which is made once and kept, for example. Make a new one in each call, or return a copy.",
    ),
]
