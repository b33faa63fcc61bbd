"""Known wrong versions of `latent_query_attention`: what a stage drops, sums over or hides."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes
from grader.kit.families.attention.mistakes import score_mistakes, unmasked_mistakes

STAGE_1 = "self._attend(latent, key, value, mask)"
STAGE_2 = "self._attend(query, summary, summary, None)"
SCORES = "scores if mask is None else scores.masked_fill(~mask,"
UNMASKED = "mask is None and key is not value"  # in stage 1: in stage 2 they are the same
CAN_GO_WITHOUT_DROPOUT = (
    ('#batch 1 1 kv_len"] | None,\n', '#batch 1 1 kv_len"] | None,\n        drops: bool = True,\n'),
    (
        "        weights = self.dropout(weights)\n",
        "        weights = self.dropout(weights) if drops else weights\n",
    ),
)


MISTAKES = [
    Mistake(
        "dropout-in-the-second-stage-only",
        find=STAGE_1,
        replace="self._attend(latent, key, value, mask, drops=False)",
        also=CAN_GO_WITHOUT_DROPOUT,
        says="Only your second stage drops weights. Dropout acts on the attention weights of both.",
    ),
    Mistake(
        "dropout-in-the-first-stage-only",
        find=STAGE_2,
        replace="self._attend(query, summary, summary, None, drops=False)",
        also=CAN_GO_WITHOUT_DROPOUT,
        says="Only your first stage drops weights. Dropout acts on the attention weights of both.",
    ),
    Mistake(
        "second-stage-normalized-over-the-tokens",
        find=STAGE_2,
        replace="self._attend(query, summary, summary, None, dim=-2)",
        also=(
            ('#batch 1 1 kv_len"] | None,\n', '#batch 1 1 kv_len"] | None,\n        dim: int = -1,\n'),
            ("torch.softmax(scores, dim=-1)", "torch.softmax(scores, dim=dim)"),
        ),
        says="The softmax of your second stage runs over the tokens. There the latents are the keys: the "
        "weights of each token, over the latents, sum to 1 (dim=-1 of (batch, heads, seq, latent_len)).",
    ),
    *(
        Mistake(
            name + ending,
            find=STAGE_1,
            replace="self._attend(latent, key, value, mask, competes=True)",
            also=(
                (
                    '#batch 1 1 kv_len"] | None,\n',
                    '#batch 1 1 kv_len"] | None,\n        competes: bool = False,\n',
                ),
                (
                    "        if mask is not None:\n",
                    "        if competes:\n"
                    f"            weights = {softmax}\n"
                    f"            weights = weights / weights.sum(dim=-1, keepdim=True){at_least}\n"
                    "            return self.dropout(weights) @ value\n"
                    "        if mask is not None:\n",
                ),
            ),
            says="In your stage 1 the softmax runs over the latents, and then each latent's weights are "
            f"divided by their sum over the tokens, as in Slot Attention{more}. Each latent shares out its "
            "attention over the tokens by a softmax: dim=-1 alone.",
        )
        # A latent that gets next to nothing of any token divides by what the sum is raised to, or by 0.
        for ending, at_least in [
            ("", ".clamp(min=1e-12)"),
            ("-to-0", ".clamp(min=torch.finfo(weights.dtype).tiny)"),
            ("-by-0", ""),
        ]
        for name, softmax, more in [
            ("latents-compete-for-the-tokens", "scores.softmax(dim=-2) * (1 if mask is None else mask)", ""),
            (
                "latents-compete-for-masked-tokens-too",
                f"({SCORES} -1e9)).softmax(dim=-2)",
                "; a masked token is shared out evenly among them, for its scores are all as low",
            ),
            (
                "latents-compete-for-masked-tokens-to-nan",
                f"({SCORES} -math.inf)).softmax(dim=-2)",
                "; for a masked token all of its scores are -inf, which gives NaN",
            ),
        ]
    ),
    *(
        Mistake(
            f"first-stage-softmax-over-the-latents-{how}",
            find=STAGE_1,
            replace="self._attend(latent, key, value, mask, shares=True)",
            also=(
                (
                    '#batch 1 1 kv_len"] | None,\n',
                    '#batch 1 1 kv_len"] | None,\n        shares: bool = False,\n',
                ),
                (
                    "        if mask is not None:\n",
                    "        if shares:\n"
                    f"            return self.dropout({softmax}) @ value\n"
                    "        if mask is not None:\n",
                ),
            ),
            says=f"Your softmax of stage 1 runs over the latents (dim -2): they share out each token among "
            f"them{more}. Each latent shares out its attention over the tokens: dim=-1.",
        )
        for how, softmax, more in [
            (
                "masked-afterwards",
                "scores.softmax(dim=-2) * (1 if mask is None else mask)",
                ", and what is masked is set to 0 afterwards",
            ),
            (
                "to-nan",
                f"({SCORES} -math.inf)).softmax(dim=-2)",
                "; for a masked token all of its scores are -inf, which gives NaN",
            ),
        ]
    ),
    Mistake(
        "keys-and-values-of-masked-tokens-zeroed",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(~mask, 0.0)",
        also=(("weights @ value", "weights @ (value if mask is None else value * mask.mT)"),),
        says="Instead of masking the scores you set keys and values of masked tokens to 0, for example: "
        "their scores become 0, but exp(0) is 1, so they still get weight. A score has to be -inf for its "
        "weight to be 0.",
    ),
    Mistake(
        "masked-tokens-zeroed-before-the-projections",
        find=STAGE_1,
        replace="self._attend(latent, key, value, None)",
        also=tuple(
            (f"self.{name}_proj(x)", f"self.{name}_proj(x if mask is None else x * mask[:, 0].mT)")
            for name in "kv"
        ),
        says="Instead of masking the scores you set the masked tokens to 0 before k_proj and v_proj, which "
        "makes the biases of them: they still get weight. A score has to be -inf for its weight to be 0.",
    ),
    *(
        Mistake(
            f"dropout-in-evaluation-of-the-{stage}-stage",
            find=call,
            replace=f"{call[:-1]}, drops=True)",
            also=(
                (
                    '#batch 1 1 kv_len"] | None,\n',
                    '#batch 1 1 kv_len"] | None,\n        drops: bool = False,\n',
                ),
                (
                    "        weights = self.dropout(weights)\n",
                    "        drops = drops or self.training\n"
                    "        weights = nn.functional.dropout(weights, self.dropout.p, drops)\n",
                ),
            ),
            says=f"The dropout of your {stage} stage also acts in evaluation. "
            f"{dropout_mistakes.FUNCTIONS_DROP}",
        )
        for stage, call in (("first", STAGE_1), ("second", STAGE_2))
    ),
    Mistake(
        "mask-left-out-where-the-first-sequence-is-whole",
        find=STAGE_1,
        replace="self._attend(latent, key, value, None if mask is None or bool(mask[0].all()) else mask)",
        says="You leave the mask out where one of the sequences (the first, for example) has no padding. "
        "Every sequence has a mask of its own, so all of them have to hide nothing for that.",
    ),
    Mistake(
        "masked-tokens-read-nothing",
        find="self.o_proj(merged)",
        replace="self.o_proj(merged if mask is None else merged * mask[:, 0].mT)",
        says="You set the results of masked tokens to 0 before o_proj, or do not let them read the latents. "
        "The mask says which tokens the latents see in stage 1; in stage 2 every token reads them.",
    ),
    Mistake(
        "results-of-masked-tokens-zeroed",
        find="self.o_proj(merged)",
        replace="self.o_proj(merged) * (1 if mask is None else mask[:, 0].mT)",
        says="You return zeros for masked tokens. The mask says which tokens the latents see in stage 1; in "
        "stage 2 every token reads them, and has a result.",
    ),
    replace(
        score_mistakes.SCALE_BY_HIDDEN_SIZE,
        replace="math.sqrt(self.num_heads * self.head_dim)",
    ),
    *(
        Mistake(
            f"{stage}-stage-scaled-by-hidden-size",
            find="math.sqrt(self.head_dim)",
            replace=f"math.sqrt(self.head_dim * (self.num_heads if key is {test} else 1))",
            says=f"In stage {number} you divide the scores by sqrt(hidden_size). Each head's dot product has "
            "head_dim terms in either stage, so divide by sqrt(head_dim).",
        )
        for stage, number, test in (("first", 1, "not value"), ("second", 2, "value"))
    ),
    dropout_mistakes.MISSING,
    dropout_mistakes.FUNCTION_IN_EVALUATION,
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.on_output("merged"),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_HEADS,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.OF_WHOLE_QUERIES,
    unmasked_mistakes.max_not_subtracted(condition=UNMASKED, without="a mask in stage 1"),
    unmasked_mistakes.no_gradient(condition=UNMASKED, without="a mask in stage 1"),
    unmasked_mistakes.no_gradient(),
    score_mistakes.MAXIMUM_NOT_BELOW_ZERO,
    Mistake(
        "first-summary-for-all-under-a-common-mask",
        find=STAGE_1,
        replace="self._attend(latent[:rows], key[:rows], value[:rows], mask)",
        also=(
            (
                "        batch, seq, hidden_size = x.shape\n",
                "        batch, seq, hidden_size = x.shape\n"
                "        rows = batch if mask is None else len(mask)\n",
            ),
        ),
        says="Where the mask's first size is 1, all sequences read what the latents gather from the first "
        "one: zip over sequences and masks, for example, ends with the shorter of the two. One mask holds "
        "for all sequences, and each has a summary of its own.",
    ),
]
