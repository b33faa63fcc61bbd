"""Known wrong versions of `speculative_decoding`: of `speculative_decode`."""

from grader.kit import Mistake

DRAWN = "            drawn = torch.multinomial(rows[-1], num_samples=1, generator=generator)"
CALL = "target_probs = target(drafted)[len(tokens) - 1 :]"
RESULT = "    return tokens[len(prompt) :][:num_tokens]"

MISTAKES = [
    Mistake(
        "rows-off-by-one",
        find=CALL,
        replace="target_probs = target(drafted)[len(tokens) :]",
        says="Your rows of the target begin one too late. Row t is for the token *after* position t, so "
        "the first draft is compared with the row of the last token before it: len(tokens) - 1.",
    ),
    Mistake(
        "draft-taken-greedily",
        find=DRAWN,
        replace="            drawn = rows[-1].argmax(dim=-1, keepdim=True)",
        says="You draft the most probable token of the draft's row instead of drawing from it. The ratio "
        "p / q is right only for drafts that are drawn with probability q.",
    ),
    Mistake(
        "drafted-from-the-same-tokens",
        find="rows.append(draft(drafted)[-1])",
        replace="rows.append(draft(tokens)[-1])",
        says="You draw all drafts of a round from one row, the one after the tokens so far. Each draft "
        "follows the drafts before it: call the draft on all of them.",
    ),
    Mistake(
        "target-called-for-every-token",
        find="        " + CALL,
        replace="""\
        ends = range(len(tokens), len(drafted) + 1)
        target_probs = torch.stack([target(drafted[:end])[-1] for end in ends])""",
        says="You call the target once for every drafted token. That is as slow as drawing with it: one "
        "call on all tokens has a row for each position.",
    ),
    Mistake(
        "prompt-returned",
        find=RESULT,
        replace="    return tokens[: len(prompt) + num_tokens]",
        says="You return the prompt too. Only the new tokens are asked for.",
    ),
    Mistake(
        "overshoot-not-cut",
        find=RESULT,
        replace="    return tokens[len(prompt) :]",
        says="The last round may give more tokens than are asked for, and you return them too. Cut the "
        "result after num_tokens.",
    ),
    Mistake(
        "drafts-without-the-generator",
        find=DRAWN,
        replace="            drawn = torch.multinomial(rows[-1], num_samples=1)",
        says="The drafts are not drawn by the generator, so results cannot be repeated. All randomness "
        "comes from it.",
    ),
    Mistake(
        "verified-without-the-generator",
        find="torch.stack(rows), target_probs, generator)",
        replace="torch.stack(rows), target_probs)",
        says="You do not hand the generator on to verify, so results cannot be repeated. All randomness "
        "comes from it.",
    ),
    Mistake(
        "num-drafts-unchecked",
        find="""\
    if num_drafts < 1:
        raise ValueError(f"num_drafts must be at least 1, not {num_drafts}")
""",
        replace="",
        says="You do not check num_drafts: without any draft there is nothing to verify. Raise a "
        "ValueError for fewer than 1.",
    ),
    Mistake(
        "one-draft-a-round",
        find="for _ in range(num_drafts):",
        replace="for _ in range(1):",
        says="You draft one token a round, whatever num_drafts is, so the target is called more often "
        "than needed. Draw num_drafts tokens before it is asked.",
    ),
    Mistake(
        "one-draft-too-many",
        find="for _ in range(num_drafts):",
        replace="for _ in range(num_drafts + 1):",
        says="You draft one token more than num_drafts. The token after the last draft comes from the "
        "target, it needs no call of the draft.",
    ),
    Mistake(
        "accepted-tokens-only",
        find="tokens = torch.cat([tokens, new])",
        replace="tokens = torch.cat([tokens, new[:-1] if len(new) > 1 else new])",
        says="You go on without the last token that verify gives, the one that was drawn by the target's "
        "rows. It is one of the text's tokens like the kept drafts.",
    ),
]
