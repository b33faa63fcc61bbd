"""Known wrong versions of `verify` that mix up the places, and of where the result is cut off."""

from grader.kit import Mistake

DIFFERENCE = "residual = (target - draft).clamp(min=0)"
LOOP = "    for place, token in enumerate(draft_tokens.tolist()):\n"
OR_TARGET = "\n            residual = residual if residual.any() else target"
RATIO = "        ratio = target[token] / draft[token]\n"
FEWER = (
    (
        "for _ in range(num_drafts):",
        "for _ in range(min(num_drafts, len(prompt) + num_tokens - len(tokens))):",
    ),
)
"""No more drafts than tokens are missing."""

MISTAKES = [
    *(
        Mistake(
            f"difference-with-the-{which}-place{ending}",
            find=DIFFERENCE,
            replace=DIFFERENCE.replace("draft", row) + rest,
            also=also,
            says=f"At a refusal you take away the draft's row of the {which} place, whichever was refused (a "
            "name that another loop has left behind, for example). It is the row of the place itself: "
            "max(0, p_i - q_i).",
        )
        for which, row in (("last", "draft_probs[-1]"), ("first", "draft_probs[0]"))
        for ending, rest, also in (
            ("", OR_TARGET, FEWER),
            ("-or-of-nothing", "", ()),
        )
    ),
    Mistake(
        "kept-by-the-ratio-of-the-whole-prefix",
        find=LOOP,
        replace="    reached = 1.0\n" + LOOP,
        also=(
            (RATIO, "        ratio = reached = reached * target[token] / draft[token]\n"),
            (DIFFERENCE, DIFFERENCE + OR_TARGET),
        ),
        says="You keep a draft by the product of all ratios up to its place. The drafts before it are kept "
        "by then, so it is kept by its own ratio alone: min(1, p_i(x) / q_i(x)).",
    ),
    Mistake(
        "last-tokens-returned-after-fewer-drafts",
        find="[len(prompt) :][:num_tokens]",
        replace="[len(prompt) :][-num_tokens:]",
        also=FEWER,
        says="You return the last num_tokens tokens. The last round may give one too many, and what is too "
        "much stands at the end: cut that off, the first num_tokens of the new ones are the result.",
    ),
    Mistake(
        "last-token-without-a-draft",
        find="        drafted, rows = tokens, []\n",
        replace="""\
        if len(tokens) + 1 == len(prompt) + num_tokens:
            drawn = torch.multinomial(target(tokens)[-1], num_samples=1, generator=generator)
            return torch.cat([tokens, drawn])[len(prompt) :]
        drafted, rows = tokens, []
""",
        says="Where a single token is missing you draw it from the target, without a draft. It is no more "
        "calls of the target, but a round is to draw at least one draft.",
    ),
]
