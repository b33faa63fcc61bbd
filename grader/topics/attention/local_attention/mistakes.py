"""Known wrong versions of `local_attention`."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import mask_mistakes, score_mistakes

MASK = "        mask = (places[start:end, None] - places[first:last]).abs() <= window"
MASKING = "        scores = scores.masked_fill(~mask, -math.inf)\n"
BOUNDS = "        first, last = max(start - window, 0), min(end + window, seq)"
BLOCK = "    block = max(window, 1)\n"


MISTAKES = [
    Mistake(
        "sliding-window-for-a-local-one",
        find=MASK,
        replace="""\
        distance = places[start:end, None] - places[first:last]
        mask = (distance >= 0) & (distance <= window)""",
        says="Your queries look back only: that is the sliding window of a decoder. Local attention reaches "
        "as far into the future: |i - j| <= window.",
    ),
    Mistake(
        "window-of-one-less",
        find=MASK,
        replace=MASK.replace("<= window", "< max(window, 1)"),
        says="Your queries miss the keys at distance `window`. The bound belongs to it: |i - j| <= window.",
    ),
    Mistake(
        "window-of-one-more",
        find=MASK,
        replace=MASK.replace("<= window", "<= window + 1"),
        also=((BOUNDS, "        first, last = max(start - window - 1, 0), min(end + window + 1, seq)"),),
        says="Your queries see one key too many on either side: |i - j| <= window is asked for.",
    ),
    Mistake(
        "window-as-a-width",
        find=MASK,
        replace=MASK.replace("<= window", "<= window // 2"),
        says="You share the window out to both sides. It counts for each side: |i - j| <= window, "
        "2 * window + 1 keys in all.",
    ),
    Mistake(
        "window-of-half-the-sequence-at-most",
        find=BLOCK,
        replace=f"    window = min(window, seq // 2)\n{BLOCK}",
        says="You cut the window to half of the sequence: min(window, seq // 2), for example. It is a "
        "distance and no width: up to seq - 1 a larger one shows more keys.",
    ),
    Mistake(
        "own-block-only",
        find=BOUNDS,
        replace="        first, last = start, end",
        says="Your queries see the keys of their own block only. A query at its border has neighbours in the "
        "block before or after: take keys from start - window to end + window.",
    ),
    Mistake(
        "no-next-block",
        find=BOUNDS,
        replace="        first, last = max(start - window, 0), end",
        says="Your blocks have the keys before them, but not those after their end. Local attention reaches "
        "into the future too: take keys up to end + window.",
    ),
    Mistake(
        "no-block-before",
        find=BOUNDS,
        replace="        first, last = start, min(end + window, seq)",
        says="Your blocks have the keys after them, but not those before their start. Take keys from "
        "start - window on.",
    ),
    Mistake(
        "band-left-out",
        find=MASKING,
        replace="",
        says="Your queries see all keys of the neighbouring blocks. That is too much for most of them: "
        "inside, |i - j| <= window still has to be asked of each pair.",
    ),
    Mistake(
        "places-counted-in-the-block",
        find=MASK,
        replace=MASK.replace("places[start:end, None]", "places[: end - start, None]").replace(
            "places[first:last]", "places[: last - first]"
        ),
        says="You count the places of queries and keys from the beginning of what you cut out. Queries begin "
        "at `start`, keys at `first`, which is earlier: compare places in the sequence.",
    ),
    *(
        Mistake(
            few + name,
            find=BOUNDS,
            replace="        first, last = start, end + 2 * window",
            also=(
                (
                    BLOCK,
                    f"""\
{narrowed}    block = max(window, 1)
    key, value = (torch.nn.functional.pad(each, (0, 0, window, window)) for each in (key, value))
    places = torch.cat((places, places + seq, places + 2 * seq))
    while len(places) < seq + 2 * window:
        places = torch.cat((places, places + len(places)))
""",
                ),
                (MASK, f"{MASK.replace('None]', 'None] + window')}{hidden}"),
            ),
            says=f"You pad keys and values with zeros at both ends and let queries see {seen}. A key of "
            "zeros has the score 0, and exp(0) = 1 is an ordinary weight: tokens near such an end lose part "
            "of theirs. Hide what lies outside of the sequence, before its first token and behind its last.",
        )
        for few, narrowed in (
            ("", ""),
            # As many as a window has in the sequence.
            ("fewer-", "    window = min(window, seq - 1)\n"),
        )
        for name, hidden, seen in (
            ("zeros-beyond-the-ends", "", "them"),
            (
                "zeros-behind-the-end",
                "\n        mask = mask & (places[first:last] >= window)",
                "those behind the last token",
            ),
            (
                "zeros-before-the-beginning",
                "\n        mask = mask & (places[first:last] < window + seq)",
                "those before the first token",
            ),
        )
    ),
    Mistake(
        "ends-joined-in-a-ring",
        find=MASK,
        replace="""\
        distance = (places[start:end, None] - places).abs()
        mask = torch.minimum(distance, seq - distance) <= window""",
        also=(
            ("keys, values = key[:, :, first:last], value[:, :, first:last]", "keys, values = key, value"),
        ),
        says="The first tokens see the last ones in your answer, as in a ring (roll does that). The sequence "
        "has two ends: what lies outside does not exist.",
    ),
    Mistake(
        "rest-left-out",
        find="range(0, seq, block)",
        replace="range(0, seq - seq % block if seq > block else seq, block)",
        says="The tokens that do not fill a whole block are missing in your result. The last block may be "
        "shorter.",
    ),
    Mistake(
        "window-of-zero-forgotten",
        find=BLOCK,
        replace="    block = window\n",
        says="With a window of 0 your blocks have no length (or your loop no steps). Each token then sees "
        "itself alone: make blocks of at least one.",
    ),
    Mistake(
        "window-of-zero-is-no-window",
        find=BLOCK,
        replace=f"    window = window or seq\n{BLOCK}",
        says="You take a window of 0 for no window, so all tokens see all. It is a window: each token sees "
        "itself alone.",
    ),
    Mistake(
        "scores-in-full",
        find=BLOCK,
        replace="    block = seq\n",
        says="You make the scores of all pairs and hide most of them: seq x seq numbers. Linear memory needs "
        "blocks: queries a few at a time, each with the keys around it.",
    ),
    Mistake(
        "band-in-full",
        find=MASK,
        replace="""\
        band = (places[:, None] - places).abs() <= window
        mask = band[start:end, first:last]""",
        says="You make the whole band as a mask of seq x seq numbers, to cut pieces out of it or to hand it "
        "to the fused attention, for example. That is quadratic too: compare the places of one block with "
        "those of its keys.",
    ),
    Mistake(
        "scale-missing",
        find="        scores = scores / math.sqrt(head_dim)\n",
        replace="",
        says="You do not scale the scores. Divide them by sqrt(head_dim), as everywhere in attention.",
    ),
    Mistake(
        "scale-by-the-window",
        find="math.sqrt(head_dim)",
        replace="math.sqrt(2 * window + 1)",
        says="You scale by the number of keys in the window. A score is a sum of head_dim terms: divide it "
        "by sqrt(head_dim).",
    ),
    *score_mistakes.other_scales("scores", "head_dim", "head_dim"),
    Mistake(
        "key-reshaped-instead-of-transposed",
        find="keys.transpose(-2, -1)",
        replace="keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])",
        says=score_mistakes.KEY_RESHAPED.says,
    ),
    Mistake(
        "value-from-key",
        find="value[:, :, first:last]",
        replace="key[:, :, first:last]",
        says="You average the keys. The weights average the values.",
    ),
    mask_mistakes.INVERTED,
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.after_softmax(MASKING),
    mask_mistakes.after_softmax_renormalised(MASKING),
    mask_mistakes.after_softmax_renormalised_to_zeros(MASKING),
    score_mistakes.clamped("scores / math.sqrt(head_dim)"),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.SCORE_OF_ZERO_ADDED,
    score_mistakes.largest_of_all_subtracted(),
    score_mistakes.MAXIMUM_NOT_BELOW_ZERO,
    score_mistakes.softmax_over_queries("(batch, heads, queries, keys)"),
    Mistake(
        "default-device",
        find="torch.arange(seq, device=query.device)",
        replace="torch.arange(seq)",
        says="You make the places on the default device. With a query on a GPU that is another one, and the "
        "mask meets the scores: make them on query.device.",
    ),
    Mistake(
        "written-into-a-tensor-of-the-defaults",
        find="    return torch.cat(results, dim=2)",
        replace="    out = torch.zeros(query.shape)\n    out[:] = torch.cat(results, dim=2)\n    return out",
        says="You write the results into a tensor of the default dtype, on the default device. It has those "
        "of the inputs: torch.empty_like(query).",
    ),
    Mistake(
        "float32-inside",
        find="        weights = torch.softmax(scores, dim=-1)",
        replace="        weights = torch.softmax(scores.float(), dim=-1).to(torch.float32)",
        also=(("weights @ values", "weights @ values.float()"),),
        says="Your result is float32, whatever came. It has the dtype of the inputs.",
    ),
    *(
        Mistake(
            f"window-half-open{where}{empty}",
            find=MASK,
            replace=f"""\
        step = places[first:last] - places[start:end, None]
        mask = {bounds.format(window)}""",
            says=f"Your queries miss the key at distance `window` {side}: your window is half-open, like a "
            f"slice. Both ends belong to it: |i - j| <= window.{more}",
        )
        for empty, window, more in (
            ("", "max(window, 1)", ""),
            ("-and-empty-at-0", "window", " (And with a window of 0 yours see nothing at all.)"),
        )
        for where, bounds, side in (
            ("", "(step >= -window) & (step < {})", "after them"),
            ("-at-its-beginning", "(step > -{}) & (step <= window)", "before them"),
        )
    ),
]
