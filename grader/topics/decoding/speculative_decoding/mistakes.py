"""Known wrong versions of `speculative_decoding`: of `verify`."""

from grader.kit import Mistake

COMPARED = "torch.rand((), generator=generator, dtype=ratio.dtype, device=ratio.device) >= ratio"
LOOP = "    for place, token in enumerate(draft_tokens.tolist()):\n"
RESIDUAL = "residual = (target - draft).clamp(min=0)"
WHY = "# What the drafts kept are too few of: with min(p, q) it adds up to p."
REFUSED = "            return torch.cat([draft_tokens[:place], drawn])\n"
BONUS = """\
    bonus = torch.multinomial(target_probs[-1], num_samples=1, generator=generator)
    return torch.cat([draft_tokens, bonus])"""

MISTAKES = [
    Mistake(
        "refused-drawn-from-the-target",
        find=RESIDUAL,
        replace="residual = target",
        says="After a refusal you draw from the target's row itself. The tokens that drafts are kept for "
        "have had their share: only what p has more than q is left, max(0, p - q).",
    ),
    Mistake(
        "absolute-difference",
        find=RESIDUAL,
        replace="residual = (target - draft).abs()",
        says="After a refusal you draw from |p - q|, so tokens come back that the draft proposes too "
        "often already. What is below 0 counts as 0: max(0, p - q).",
    ),
    Mistake(
        "negative-probabilities",
        find=RESIDUAL,
        replace="residual = target - draft",
        says="After a refusal you draw from p - q, which has negative entries: torch.multinomial refuses "
        "them. Clamp at 0 first.",
    ),
    Mistake(
        "softmax-of-what-is-left",
        find=RESIDUAL,
        replace="residual = (target - draft).clamp(min=0).softmax(dim=-1)",
        says="After a refusal you take the softmax of max(0, p - q), which gives every token a share, also "
        "those of which nothing is left (exp(0) is 1). Divide by its sum, or leave that to "
        "torch.multinomial.",
    ),
    Mistake(
        "difference-in-float32",
        find=RESIDUAL,
        replace="residual = (target.float() - draft.float()).clamp(min=0)",
        says="You take p and q in float32, where they are equal although they differ in float64: of "
        "max(0, p - q) nothing is left to draw from. Subtract them in the dtype that they come in.",
    ),
    Mistake(
        "difference-the-wrong-way-round",
        find=RESIDUAL,
        replace="residual = (draft - target).clamp(min=0)",
        says="After a refusal you draw from max(0, draft - target): what the draft proposes too often. The "
        "target lacks what *it* finds more probable: max(0, target - draft).",
    ),
    Mistake(
        "ratio-inverted",
        find="ratio = target[token] / draft[token]",
        replace="ratio = draft[token] / target[token]",
        says="Your ratio is q / p, so drafts that the target finds improbable are kept for sure. A draft "
        "is kept with probability p / q.",
    ),
    Mistake(
        "kept-with-the-targets-probability",
        find="ratio = target[token] / draft[token]",
        replace="ratio = target[token]",
        says="You keep a draft with probability p(x). It was drawn with probability q(x) already: kept "
        "with p(x) / q(x), it comes out as often as the target wants it, and far fewer are refused.",
    ),
    Mistake(
        "kept-only-if-more-probable",
        find=COMPARED,
        replace="ratio < 1",
        says="You refuse every draft that the target finds less probable than the draft model. It is kept "
        "with probability p / q, by a random number; refusing always makes such tokens too rare.",
    ),
    Mistake(
        "target-without-the-refused-token",
        find=RESIDUAL,
        replace="residual = target.clone()\n            residual[token] = 0",
        says="After a refusal you draw from the target's row without the refused token. The other tokens "
        "have had a share as drafts too: what is left is max(0, p - q) for each of them.",
    ),
    Mistake(
        "kept-above-one-half",
        find=COMPARED,
        replace="ratio < 0.5",
        says="You keep a draft if p / q is large enough, without a random number. It is kept *with "
        "probability* p / q: always above a threshold and never below makes some tokens too frequent.",
    ),
    Mistake(
        "one-random-number",
        find=LOOP,
        replace="    number = torch.rand((), generator=generator, dtype=target_probs.dtype)\n" + LOOP,
        also=((COMPARED, "number >= ratio"),),
        says="You compare all drafts with one random number, so what is kept at one place depends on the "
        "places before it. Every draft needs a number of its own.",
    ),
    Mistake(
        "going-on-after-a-refusal",
        find=LOOP,
        replace="    kept = []\n" + LOOP,
        also=(
            (
                REFUSED,
                "            kept.append(drawn)\n"
                "        else:\n"
                "            kept.append(draft_tokens[place : place + 1])\n",
            ),
            ("    return torch.cat([draft_tokens, bonus])", "    return torch.cat([*kept, bonus])"),
        ),
        says="You go on after a refusal. The drafts behind it, and the target's rows there, belong to a "
        "text with the refused token: stop with the one that was drawn instead.",
    ),
    Mistake(
        "refused-token-kept",
        find="draft_tokens[:place], drawn",
        replace="draft_tokens[: place + 1], drawn",
        says="You keep the refused token beside the one that is drawn in its place. Only the drafts "
        "before it are kept.",
    ),
    Mistake(
        "nothing-drawn-after-a-refusal",
        find=REFUSED,
        replace="            return draft_tokens[:place]\n",
        says="After a refusal you give only the drafts before it, perhaps none at all, and what the "
        "target wants more of never comes. Draw one token from max(0, p - q).",
    ),
    Mistake(
        "no-token-after-the-last-draft",
        find=BONUS,
        replace="    return draft_tokens",
        says="Where all drafts are kept you stop. The target's last row is computed already: draw one "
        "more token from it.",
    ),
    Mistake(
        "last-token-from-the-draft",
        find="torch.multinomial(target_probs[-1],",
        replace="torch.multinomial(draft_probs[-1],",
        says="After the last draft you draw from the draft's row (one for a place before, moreover). The "
        "token comes from the last row of the target.",
    ),
    Mistake(
        "last-token-from-the-row-before",
        find="torch.multinomial(target_probs[-1],",
        replace="torch.multinomial(target_probs[-2],",
        says="After the last draft you draw from the row of the last draft. The target has one row more "
        "than there are drafts: the last one is for the token after them.",
    ),
    Mistake(
        "targets-row-after",
        find="target_probs[place], draft_probs[place]",
        replace="target_probs[place + 1], draft_probs[place]",
        says="You compare draft i with row i + 1 of the target. Row i of both is for the place of draft i.",
    ),
    Mistake(
        "random-numbers-without-the-generator",
        find="torch.rand((), generator=generator,",
        replace="torch.rand((),",
        says="The random numbers that drafts are kept by do not come from the generator, so results "
        "cannot be repeated. All randomness comes from it.",
    ),
    Mistake(
        "refused-drawn-without-the-generator",
        find="torch.multinomial(residual, num_samples=1, generator=generator)",
        replace="torch.multinomial(residual, num_samples=1)",
        says="What is drawn after a refusal does not come from the generator, so results cannot be "
        "repeated. All randomness comes from it.",
    ),
    Mistake(
        "last-token-without-the-generator",
        find="torch.multinomial(target_probs[-1], num_samples=1, generator=generator)",
        replace="torch.multinomial(target_probs[-1], num_samples=1)",
        says="The token after the last draft does not come from the generator, so results cannot be "
        "repeated. All randomness comes from it.",
    ),
    Mistake(
        "most-probable-instead-of-drawn",
        find="drawn = torch.multinomial(residual, num_samples=1, generator=generator)",
        replace="drawn = residual.argmax(dim=-1, keepdim=True)",
        says="After a refusal you take the most probable token of what is left. It is *drawn* from it: "
        "the others have their probability too.",
    ),
    Mistake(
        "last-token-the-most-probable",
        find="bonus = torch.multinomial(target_probs[-1], num_samples=1, generator=generator)",
        replace="bonus = target_probs[-1].argmax(dim=-1, keepdim=True)",
        says="After the last draft you take the target's most probable token. It is *drawn* from its last "
        "row.",
    ),
    *(
        Mistake(
            f"arguments-overwritten{id}",
            find=RESIDUAL,
            replace=f"residual = target.sub_(draft).clamp_(min=0){divided}",
            says="You compute in place on a row of target_probs, which is a view: the caller's probabilities "
            "change. Work on new tensors: target - draft, not -=, and no underscore.",
        )
        for id, divided in (("", ""), ("-and-normalized", "\n            residual /= residual.sum()"))
    ),
    *(
        Mistake(
            id,
            find="        ratio = target[token] / draft[token]\n",
            replace=f"        drawn = {drawn}\n",
            also=(
                (COMPARED, "drawn.item() != token"),
                (
                    f"            {WHY}\n            {RESIDUAL}\n",
                    "",
                ),
                (
                    "            drawn = torch.multinomial(residual, num_samples=1, generator=generator)\n",
                    "",
                ),
                *more,
            ),
            says=says,
        )
        for id, drawn, more, says in (
            (
                "kept-if-the-target-draws-the-same",
                "torch.multinomial(target, num_samples=1, generator=generator)",
                (),
                "You draw a token from the target's row and keep the draft if it is the same one, which is "
                "so with probability p(x). What comes out is distributed as it should be, but far more is "
                "refused than need be: x was drawn with probability q(x) already, and is kept with min(1, "
                "p(x) / q(x)).",
            ),
            (
                "kept-if-the-target-finds-it-most-probable",
                "target.argmax(dim=-1, keepdim=True)",
                (),
                "You keep a draft if it is the target's most probable token, and give that one instead if "
                "it is not. The target draws its tokens: x is kept with probability min(1, p(x) / q(x)), "
                "and at a refusal a token is drawn from max(0, p - q).",
            ),
            (
                "greedy",
                "target.argmax(dim=-1, keepdim=True)",
                (
                    (
                        "bonus = torch.multinomial(target_probs[-1], num_samples=1, generator=generator)",
                        "bonus = target_probs[-1].argmax(dim=-1, keepdim=True)",
                    ),
                ),
                "What you give are the target's most probable tokens, as in greedy decoding: a draft is "
                "kept if it is one of them. The target draws: x is kept with probability min(1, p(x) / "
                "q(x)), and what follows is drawn, too.",
            ),
        )
    ),
]
