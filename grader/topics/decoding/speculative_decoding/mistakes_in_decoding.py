"""Known wrong versions of `speculative_decoding`: of `speculative_decode`."""

from grader.kit import Mistake

DRAWN = "            drawn = torch.multinomial(rows[-1], num_samples=1, generator=generator)"
CALL = "target_probs = target(drafted)[len(tokens) - 1 :]"
RESULT = "    return tokens[len(prompt) :][:num_tokens]"


def rows_from(first: str, id_: str, says: str) -> list[Mistake]:
    """Rows from one place on in every round: those of this round's number, or all, so that the last one is
    the right one.
    """
    return [
        Mistake(
            f"{id_}{end}",
            find=CALL,
            replace=f"target_probs = target(drafted)[{first} :{stop}]",
            says=says,
        )
        for end, stop in (("", f" {first} + num_drafts + 1"), ("-to-the-end", ""))
    ]


MISTAKES = [
    Mistake(
        "rows-off-by-one",
        find=CALL,
        replace="target_probs = target(drafted)[len(tokens) :]",
        says="Your rows of the target begin one too late. Row t is for the token *after* position t, so "
        "the first draft is compared with the row of the last token before it: len(tokens) - 1.",
    ),
    *rows_from(
        "len(prompt) - 1",
        "rows-from-the-end-of-the-prompt",
        "You take the target's rows from the end of the prompt on in every round, which is right in the "
        "first one alone. Later more tokens are there: the first draft is compared with the row of the last "
        "token before it, the one at len(tokens) - 1.",
    ),
    *rows_from(
        "0",
        "rows-from-the-first-token",
        "You compare the drafts with the target's rows from the very first one on. That is the row of the "
        "prompt's first token: the first draft is compared with that of the last token before it, the one at "
        "len(tokens) - 1.",
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
        "bonus-not-cut",
        find=RESULT,
        replace="    return tokens[len(prompt) :]",
        also=(
            (
                "for _ in range(num_drafts):",
                "for _ in range(min(num_drafts, len(prompt) + num_tokens - len(tokens))):",
            ),
        ),
        says="You draft no more tokens than are missing, but where all of these are kept one more comes "
        "with them, and you return that too. Cut the result after num_tokens.",
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
        "too-few-drafts-taken-as-one",
        find="""\
    if num_drafts < 1:
        raise ValueError(f"num_drafts must be at least 1, not {num_drafts}")
""",
        replace="    num_drafts = max(num_drafts, 1)\n",
        says="You take num_drafts below 1 as if it was 1, so whoever gave it does not hear of it. Raise a "
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
    Mistake(
        "kept-counted-behind-a-refusal",
        find="""\
    for place, token in enumerate(draft_tokens.tolist()):
        target, draft = target_probs[place], draft_probs[place]  # (vocab,)
        ratio = target[token] / draft[token]
        if torch.rand((), generator=generator, dtype=ratio.dtype, device=ratio.device) >= ratio:
            # What the drafts kept are too few of: with min(p, q) it adds up to p.
            residual = (target - draft).clamp(min=0)
            drawn = torch.multinomial(residual, num_samples=1, generator=generator)
            return torch.cat([draft_tokens[:place], drawn])
""",
        replace="""\
    index = draft_tokens[:, None]
    ratios = target_probs[:-1].gather(1, index)[:, 0] / draft_probs.gather(1, index)[:, 0]
    numbers = torch.rand(len(ratios), generator=generator, dtype=ratios.dtype, device=ratios.device)
    kept = int((numbers < ratios).sum())
    if kept < len(draft_tokens):
        residual = (target_probs[kept] - draft_probs[kept]).clamp(min=0)
        residual = residual if residual.sum() > 0 else target_probs[kept]
        drawn = torch.multinomial(residual, num_samples=1, generator=generator)
        return torch.cat([draft_tokens[:kept], drawn])
""",
        says="You count all drafts whose number is below the ratio, also those behind the first refusal. "
        "Only the drafts before it are kept: the cumulative product of the comparisons, summed.",
    ),
    Mistake(
        "verified-on-the-default-device",
        find="tokens = torch.cat([tokens, new])",
        replace="tokens = torch.cat([tokens, new.to(tokens.device)])",
        also=(
            (
                "            return torch.cat([draft_tokens[:place], drawn])\n",
                """\
            return torch.tensor([*draft_tokens[:place].tolist(), *drawn.tolist()])
""",
            ),
            (
                "    return torch.cat([draft_tokens, bonus])\n",
                "    return torch.tensor([*draft_tokens.tolist(), *bonus.tolist()])\n",
            ),
        ),
        says="verify collects the tokens in a tensor on the default device, wherever the arguments are. "
        "Give it theirs, or join tensors that are there.",
    ),
    Mistake(
        "decoded-on-the-default-device",
        find="    return tokens[len(prompt) :][:num_tokens]",
        replace="    return torch.tensor(tokens[len(prompt) :][:num_tokens].tolist())",
        says="speculative_decode collects the tokens in a tensor on the default device, wherever the prompt "
        "is. Give it the prompt's device.",
    ),
    Mistake(
        "a-round-for-nothing",
        find="    while len(tokens) < len(prompt) + num_tokens:\n",
        replace="    while len(tokens) <= len(prompt) + num_tokens:\n",
        says="You go on while there are at most num_tokens tokens, so where they come out even one more "
        "round is run for nothing: while fewer are there.",
    ),
    Mistake(
        "rounds-without-drafts",
        find="for _ in range(num_drafts):",
        replace="for _ in range(min(num_drafts, len(prompt) + num_tokens - len(tokens) - 1)):",
        says="You draw only as many drafts as are missing less one, which is none for the last token: then "
        "there is nothing to verify. A round draws at least one.",
    ),
    Mistake(
        "last-tokens-returned",
        find="[len(prompt) :][:num_tokens]",
        replace="[len(prompt) :][-num_tokens:]",
        says="You return the last num_tokens tokens. What is too much stands at the end: cut that off, the "
        "first num_tokens of the new ones are the result.",
    ),
    Mistake(
        "prompt-counted-among-the-new",
        find="    while len(tokens) < len(prompt) + num_tokens:\n",
        replace="    while len(tokens) < num_tokens:\n",
        says="You count the prompt's tokens among num_tokens, so you stop too early. Exactly num_tokens "
        "come after it.",
    ),
    Mistake(
        "drafts-before-what-is-kept",
        find="tokens = torch.cat([tokens, new])",
        replace="tokens = torch.cat([drafted, new])",
        says="You put what verify gives behind all drafts. It holds those that are kept already: it comes "
        "behind the tokens before the round.",
    ),
    Mistake(
        "more-drafts-than-tokens-refused",
        find="if num_drafts < 1:",
        replace="if num_drafts < 1 or num_drafts > num_tokens:",
        says="You refuse a num_drafts above num_tokens. It is allowed: what is too much is cut off.",
    ),
    Mistake(
        "tokens-in-int32",
        find="    return torch.cat([draft_tokens, bonus])\n",
        replace="    return torch.cat([draft_tokens, bonus]).int()\n",
        says="Your tokens are int32. They are int64, as the drafts are.",
    ),
    Mistake(
        "kept-where-to-be-refused",
        find=">= ratio:",
        replace="< ratio:",
        says="You refuse a draft where the random number is below p / q: keeping and refusing are exchanged.",
    ),
]
