"""Known wrong versions of `speculative_decoding` in which some drafts are kept without a random number."""

from grader.kit import Mistake

LOOP = "    for place, token in enumerate(draft_tokens.tolist()):\n"
DRAWN = "        if torch.rand("

MISTAKES = [
    Mistake(
        "kept-where-all-are-most-probable",
        find=LOOP,
        replace=f"    agrees = torch.equal(target_probs[:-1].argmax(dim=-1), draft_tokens)\n{LOOP}",
        also=((DRAWN, "        if not agrees and torch.rand("),),
        says="You keep all drafts without a random number where each is the target's most probable token. It "
        "may be more probable still to the draft: each is kept with probability min(1, p(x) / q(x)), and "
        "otherwise the result would have too many of them.",
    ),
]
