"""Known wrong versions of `greedy_decode`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "finished-rows-go-on",
        find="        best = best.masked_fill(finished, pad_id)\n",
        replace="",
        says="Rows go on after their eos while others are unfinished: you append what the model says. Once "
        "eos has been appended, a row gets pad_id only.",
    ),
    Mistake(
        "eos-instead-of-pad",
        find="best.masked_fill(finished, pad_id)",
        replace="best.masked_fill(finished, eos_id)",
        says="You fill finished rows with eos_id. They get pad_id.",
    ),
    Mistake(
        "eos-overwritten-by-pad",
        find="""\
        best = best.masked_fill(finished, pad_id)
        # After the pads are in: a row that is finished stays so, whatever pad_id is.
        finished = finished | (best == eos_id)""",
        replace="""\
        finished = finished | (best == eos_id)
        best = best.masked_fill(finished, pad_id)""",
        says="You mark a row as finished before its eos is written (or before the pads are filled in), so a "
        "pad stands in its place. The eos stays; pads come from the next step on.",
    ),
    Mistake(
        "finished-forgotten",
        find="finished = finished | (best == eos_id)",
        replace="finished = best == eos_id",
        says="You keep only which rows got eos in this step, so a row that got it earlier goes on. "
        "Accumulate: finished | (best == eos_id).",
    ),
    Mistake(
        "never-stops-early",
        find="while tokens.shape[1] < max_len and not finished.all():",
        replace="while tokens.shape[1] < max_len:",
        says="Your result goes on to max_len although all rows are finished, with columns of pads. It ends "
        "as soon as finished.all(): stop there, and give the columns that there are then.",
    ),
    Mistake(
        "stops-with-the-first-eos",
        find="not finished.all()",
        replace="not finished.any()",
        says="You stop as soon as one row is finished. The others go on: stop when all are.",
    ),
    Mistake(
        "stops-after-the-first-row",
        find="not finished.all()",
        replace="not finished[0]",
        says="You look at the first row alone to decide when to stop. Stop when all rows are finished.",
    ),
    Mistake(
        "max-len-without-bos",
        find="tokens.shape[1] < max_len",
        replace="tokens.shape[1] <= max_len",
        says="You append max_len tokens after bos, so rows have one too many. max_len counts bos too.",
    ),
    Mistake(
        "one-token-too-few",
        find="tokens.shape[1] < max_len",
        replace="tokens.shape[1] < max_len - 1",
        says="Your rows end with max_len - 1 tokens. max_len of them are allowed, bos included.",
    ),
    Mistake(
        "bos-left-out",
        find="    return tokens",
        replace="    return tokens[:, 1:]",
        says="You return the rows without bos. They start with it.",
    ),
    Mistake(
        "eos-cut-off",
        find="    return tokens",
        replace="    return tokens[:, :-1] if finished.all() else tokens",
        says="You leave out the last column, where the longest row has its eos. It belongs to the result.",
    ),
    Mistake(
        "last-pads-cut-off",
        find="    return tokens",
        replace="""\
    width = tokens.shape[1]
    while width > 1 and (tokens[:, width - 1] == pad_id).all():
        width -= 1
    return tokens[:, :width]""",
        says="You cut off columns at the end that are all pad_id. Unfinished rows may have chosen that token "
        "themselves. Once all rows are finished no column is appended; what was filled in advance ends at "
        "the place that was reached.",
    ),
    Mistake(
        "bos-counts-as-eos",
        find="finished = torch.zeros(batch_size, dtype=torch.bool)",
        replace="finished = (tokens == eos_id).any(dim=1)",
        says="You look for eos among all tokens, so a bos_id that equals eos_id (as in GPT-2) finishes "
        "every row at once. Only a token that was appended does.",
    ),
    Mistake(
        "bos-finishes-after-a-step",
        find="""\
        finished = finished | (best == eos_id)
        tokens = torch.cat((tokens, best[:, None]), dim=1)""",
        replace="""\
        tokens = torch.cat((tokens, best[:, None]), dim=1)
        finished = (tokens == eos_id).any(dim=1)""",
        says="You look for eos in the whole row, bos included. Where bos_id equals eos_id (as in GPT-2), "
        "every row is then finished after one step. Only a token that was appended finishes a row.",
    ),
    Mistake(
        "pad-finishes",
        find="finished = finished | (best == eos_id)",
        replace="finished = finished | (best == eos_id) | (best == pad_id)",
        says="You take a row as finished when it appends pad_id. Only eos finishes a row; the model may say "
        "any token.",
    ),
    Mistake(
        "smallest-logit",
        find="argmax(dim=-1)",
        replace="argmin(dim=-1)",
        says="You append the token with the smallest logit. It is the largest one.",
    ),
    Mistake(
        "largest-magnitude",
        find="next_logits(tokens).argmax",
        replace="next_logits(tokens).abs().argmax",
        says="You take the logit that is furthest from 0. It is the largest: logits may be negative.",
    ),
    Mistake(
        "logits-rounded",
        find="next_logits(tokens).argmax",
        replace="next_logits(tokens).float().argmax",
        says="You take logits as equal that differ, though by very little: you cast them to float32, for "
        "example, before you compare them. Take the largest of the logits as they come.",
    ),
    Mistake(
        "last-token-only",
        find="next_logits(tokens)",
        replace="next_logits(tokens[:, -1:])",
        says="You ask next_logits about the last token alone. It keeps nothing between calls: give it all "
        "tokens so far.",
    ),
    Mistake(
        "unfinished-rows-only",
        find="        best = next_logits(tokens).argmax(dim=-1)  # (batch_size,)\n",
        replace="""\
        best = torch.full((batch_size,), pad_id)
        best[~finished] = next_logits(tokens[~finished]).argmax(dim=-1)
""",
        says="You ask next_logits about the unfinished rows only. It always gets all rows of the batch, "
        "finished ones with their pads.",
    ),
    Mistake(
        "first-logits-for-all-steps",
        find="""\
    while tokens.shape[1] < max_len and not finished.all():
        best = next_logits(tokens)""",
        replace="""\
    logits = next_logits(tokens)
    while tokens.shape[1] < max_len and not finished.all():
        best = logits""",
        says="You ask next_logits once, before the loop. Every new token changes what comes next: ask in "
        "each step.",
    ),
    Mistake(
        "asked-before-it-is-seen-that-all-are-finished",
        find="        best = best.masked_fill(finished, pad_id)\n",
        replace="""\
        if finished.all():
            break
        best = best.masked_fill(finished, pad_id)
""",
        also=(
            (
                "while tokens.shape[1] < max_len and not finished.all():",
                "while tokens.shape[1] < max_len:",
            ),
        ),
        says="You see that all rows are finished only after next_logits has been asked again: that is a "
        "whole run of the model for nothing. Look before you ask.",
    ),
    Mistake(
        "asked-once-more-at-the-end",
        find="    return tokens",
        replace="    next_logits(tokens)\n    return tokens",
        says="Your tokens are right, but you ask next_logits once more at the end, where nothing is "
        "appended any more: that is a whole run of the model for nothing. Look first whether there is room "
        "and somebody unfinished.",
    ),
    Mistake(
        "one-token-at-least",
        find="while tokens.shape[1] < max_len and",
        replace="while tokens.shape[1] < max(max_len, 2) and",
        says="You append a token before you look at max_len. With max_len = 1 there is bos alone, and nobody "
        "is asked.",
    ),
    Mistake(
        "tokens-in-int32",
        find="    return tokens\n",
        replace="    return tokens.int()\n",
        says="Your tokens are int32. They are int64, as argmax gives them.",
    ),
    Mistake(
        "tokens-of-16-bits",
        find="best[:, None]",
        replace="best.to(torch.int16).long()[:, None]",
        says="You keep tokens in 16 bits, into which ids beyond 32,767 do not go: others come out. "
        "Vocabularies have 128,000 tokens and more: keep them as int64.",
    ),
    Mistake(
        "first-logits-for-the-unfinished-rows",
        find="        best = next_logits(tokens).argmax(dim=-1)  # (batch_size,)\n",
        replace="""\
        first = next_logits(tokens).argmax(dim=-1)
        unfinished = (~finished).nonzero()[:, 0]
        best = first.index_copy(0, unfinished, first[: len(unfinished)])
""",
        says="As soon as a row is finished, unfinished rows behind it get the tokens of other rows: you take "
        "the first of the logits for them, as if there were logits of unfinished rows alone. There are some "
        "for all rows: take those with the unfinished rows' numbers.",
    ),
]
