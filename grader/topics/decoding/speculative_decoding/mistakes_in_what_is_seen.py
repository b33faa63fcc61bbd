"""Known wrong versions of `speculative_decoding` whose models do not see all tokens."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "last-tokens-only",
        find="rows.append(draft(drafted)[-1])",
        replace="rows.append(draft(drafted[-256:])[-1])",
        also=(("target(drafted)[len(tokens) - 1 :]", "target(drafted[-256:])[-num_drafts - 1 :]"),),
        says="Of a long text you give the models the last tokens only. They take all tokens so far: how "
        "much of these they use is their own matter.",
    ),
]
