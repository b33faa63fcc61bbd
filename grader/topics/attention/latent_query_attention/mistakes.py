"""Known wrong versions of `latent_query_attention`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.attention.mistakes import attention_mistakes, mask_mistakes, score_mistakes

LAYERS = """\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
SPLIT = "        return x.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)"
LATENT = "self._split(self.latent_q.expand(batch, -1, -1))"
STAGE_1 = "self._attend(latent, key, value, mask)"
STAGE_2 = "self._attend(query, summary, summary, None)"
PARAMETER = "        self.latent_q = nn.Parameter(torch.randn(1, latent_len, hidden_size) * 0.02)"


MISTAKES = [
    Mistake(
        "latents-projected",
        find=LATENT,
        replace="self._split(self.q_proj(self.latent_q).expand(batch, -1, -1))",
        says="You send the latents through q_proj. They are learned queries already, and are split into "
        "heads as they are; q_proj is for the tokens of stage 2.",
    ),
    Mistake(
        "tokens-not-projected",
        find="query = self._split(self.q_proj(x))",
        replace="query = self._split(x)",
        says="The queries of your stage 2 are the tokens as they came. They are q_proj(x).",
    ),
    Mistake(
        "summary-projected",
        find=STAGE_2,
        replace="""self._attend(
            query,
            self._split(self.k_proj(summary.transpose(1, 2).reshape(batch, -1, hidden_size))),
            self._split(self.v_proj(summary.transpose(1, 2).reshape(batch, -1, hidden_size))),
            None,
        )""",
        says="You project the result of stage 1 to keys and values once more. It serves as both as it is: "
        "k_proj and v_proj are for the tokens, in stage 1.",
    ),
    Mistake(
        "values-projected-again",
        find=STAGE_2,
        replace="""self._attend(
            query,
            summary,
            self._split(self.v_proj(summary.transpose(1, 2).reshape(batch, -1, hidden_size))),
            None,
        )""",
        says="In stage 2 you send the values through v_proj once more. The result of stage 1 serves as "
        "values as it is: v_proj is for the tokens, in stage 1.",
    ),
    Mistake(
        "keys-projected-again",
        find=STAGE_2,
        replace="""self._attend(
            query,
            self._split(self.k_proj(summary.transpose(1, 2).reshape(batch, -1, hidden_size))),
            summary,
            None,
        )""",
        says="In stage 2 you send the keys through k_proj once more. The result of stage 1 serves as keys as "
        "it is: k_proj is for the tokens, in stage 1.",
    ),
    Mistake(
        "summary-merged-without-transpose",
        find=STAGE_2,
        replace="""self._attend(
            query, *[self._split(summary.reshape(batch, -1, hidden_size))] * 2, None
        )""",
        says="Between the stages you merge the heads without moving them back behind the latents, and split "
        "them again: heads and latents are mixed up. Leave them split, or transpose(1, 2) first.",
    ),
    Mistake(
        "summary-detached",
        find=STAGE_1,
        replace="self._attend(latent, key, value, mask).detach()",
        says="You cut the result of stage 1 off from the graph (detach), so that latent_q, k_proj and v_proj "
        "are never learned.",
    ),
    Mistake(
        "first-stage-softmax-over-the-latents",
        find=STAGE_1,
        replace="self._attend(latent, key, value, mask, dim=-2)",
        also=(
            ('#batch 1 1 kv_len"] | None,\n', '#batch 1 1 kv_len"] | None,\n        dim: int = -1,\n'),
            ("masked_fill(~mask, -math.inf)", "masked_fill(~mask, -1e9)"),
            ("torch.softmax(scores, dim=-1)", "torch.softmax(scores, dim=dim)"),
        ),
        says="Your softmax of stage 1 runs over the latents (dim -2): they share out each token among them. "
        "Each latent shares out its attention over the tokens: dim=-1.",
    ),
    Mistake(
        "latents-as-keys",
        find=STAGE_2,
        replace="self._attend(query, latent, summary, None)",
        says="In your stage 2 the tokens are compared with the latents themselves. Keys and values are both "
        "the result of stage 1.",
    ),
    Mistake(
        "latents-as-values",
        find=STAGE_2,
        replace="self._attend(query, summary, latent, None)",
        says="In your stage 2 the tokens average the latents themselves, which know nothing of the sequence. "
        "Keys and values are both the result of stage 1.",
    ),
    Mistake(
        "ordinary-attention",
        find=STAGE_2,
        replace="self._attend(query, key, value, mask)",
        says="Your tokens attend over the tokens: the latents are never read. In stage 2 keys and values are "
        "the result of stage 1.",
    ),
    Mistake(
        "first-stage-only",
        find=STAGE_2,
        replace="summary\n        seq = results.shape[2]",
        says="You return what the latents have gathered: latent_len rows. In stage 2 every token of x reads "
        "them, so the result has a row for each token.",
    ),
    Mistake(
        "roles-of-the-stages-swapped",
        find=STAGE_1,
        replace="self._attend(query, latent, latent, None)",
        also=((STAGE_2, "self._attend(query, summary, value, mask)"),),
        says="In your answer the tokens read the latents first. The latents gather from the tokens in stage "
        "1; the tokens read the result in stage 2.",
    ),
    Mistake(
        "second-stage-unscaled",
        find=STAGE_2,
        replace="self._attend(query * math.sqrt(self.head_dim), summary, summary, None)",
        says="You do not scale the scores of stage 2. Both stages divide by sqrt(head_dim).",
    ),
    Mistake(
        "first-stage-unscaled",
        find=STAGE_1,
        replace="self._attend(latent * math.sqrt(self.head_dim), key, value, mask)",
        says="You do not scale the scores of stage 1. Both stages divide by sqrt(head_dim).",
    ),
    Mistake(
        "first-stage-in-one-head",
        find=STAGE_1,
        replace="""self._split(
            torch.softmax(
                (self.latent_q @ self.k_proj(x).mT / math.sqrt(hidden_size)).masked_fill(
                    torch.zeros(1, 1, 1).bool() if mask is None else ~mask[:, 0], -math.inf
                ),
                dim=-1,
            )
            @ self.v_proj(x)
        )""",
        says="Your stage 1 has a single head: the latents' whole features are compared at once. Both stages "
        "work in num_heads heads; split the latents too.",
    ),
    Mistake(
        "mask-in-the-second-stage-too",
        find=STAGE_2,
        replace="self._attend(query, summary, summary, mask if mask is not None and "
        "mask.shape[-1] == summary.shape[2] else None)",
        says="You apply the mask in stage 2 as well. There the keys are latents, none of which is padding: "
        "it belongs to stage 1 alone (and fits stage 2 only where there are as many latents as tokens).",
    ),
    Mistake(
        "mask-in-the-second-stage-only",
        find=STAGE_1,
        replace="self._attend(latent, key, value, None)",
        also=(
            (
                STAGE_2,
                "self._attend(query, summary, summary, mask if mask is not None and "
                "mask.shape[-1] == summary.shape[2] else None)",
            ),
        ),
        says="You leave the mask out of stage 1, where it belongs: there the latents read the tokens, "
        "padding among them.",
    ),
    Mistake(
        "latents-as-a-buffer",
        find=PARAMETER,
        replace='        self.register_buffer("latent_q", torch.randn(1, latent_len, hidden_size) * 0.02)',
        says="Your latents are no parameter, so they are never learned. Make latent_q an nn.Parameter.",
    ),
    Mistake(
        "latents-without-batch",
        find=PARAMETER,
        replace=PARAMETER.replace("randn(1, latent_len", "randn(latent_len"),
        also=((LATENT, "self._split(self.latent_q[None].expand(batch, -1, -1))"),),
        says="Your latent_q has no dimension for the batch. Its shape is (1, latent_len, hidden_size).",
    ),
    Mistake(
        "latents-by-head",
        find=PARAMETER,
        replace="        self.latent_q = nn.Parameter(torch.randn(1, latent_len, self.head_dim) * 0.02)",
        also=((LATENT, "self.latent_q.unsqueeze(1).expand(batch, self.num_heads, -1, -1)"),),
        says="All your heads share latents of head_dim features. latent_q has hidden_size of them: each head "
        "has its own part.",
    ),
    Mistake(
        "key-and-value-swapped",
        find=STAGE_1,
        replace="self._attend(latent, value, key, mask)",
        says="In stage 1 your keys and values have changed places. k_proj makes what the latents are "
        "compared with, v_proj what they gather.",
    ),
    Mistake(
        "value-from-key",
        find="value = self._split(self.v_proj(x))",
        replace="value = self._split(self.k_proj(x))",
        says="Your values are the projected keys, a slip of copying a line: v_proj is never used.",
    ),
    Mistake(
        "latents-detached",
        find="self.latent_q.expand(batch, -1, -1)",
        replace="self.latent_q.data.expand(batch, -1, -1)",
        says="You read latent_q past autograd (.data, detach), so it never gets a gradient and is never "
        "learned.",
    ),
    Mistake(
        "latents-split-without-transpose",
        find=LATENT,
        replace="self.latent_q.expand(batch, -1, -1).reshape(batch, self.num_heads, -1, self.head_dim)",
        says="You view the latents directly as (1, num_heads, latent_len, head_dim), which mixes features of "
        "different latents. A view does not move data: split the last dimension, view(1, latent_len, "
        "num_heads, head_dim), and then transpose(1, 2), as for the tokens.",
    ),
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    attention_mistakes.heads_split_without_transpose(SPLIT, what="latents and projections", seq="length"),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT, heads="results"),
    attention_mistakes.heads_merged_without_transpose("results"),
    attention_mistakes.heads_merged_interleaved("results"),
    attention_mistakes.heads_split_and_merged_without_transpose(
        SPLIT, what="latents and projections", heads="results", tokens="length"
    ),
    attention_mistakes.output_projection_forgotten("merged"),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    *score_mistakes.other_scales("scores", "self.head_dim", "head_dim"),
    score_mistakes.KEY_RESHAPED,
    score_mistakes.softmax_over_queries("(batch, num_heads, queries, keys)"),
    score_mistakes.SOFTMAX_OVER_HEADS,
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    mask_mistakes.INVERTED,
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    mask_mistakes.after_softmax(),
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax_renormalised_to_zeros(),
    Mistake(
        "exponentials-masked-without-the-maximum",
        find=f"{mask_mistakes.MASKING}        weights = torch.softmax(scores, dim=-1)",
        replace="""\
        exps = torch.exp(scores)
        if mask is not None:
            exps = exps * mask
        weights = exps / exps.sum(dim=-1, keepdim=True)""",
        says="You take exp of the scores as they are, and multiply it by the mask. exp overflows above 88.7 "
        "in float32 and 709 in float64: an allowed score then gives inf / inf and a forbidden one inf * 0, "
        "both NaN; far below every exponential is 0, and 0 / 0 is NaN. Mask the scores with -inf and "
        "subtract each row's largest before exp, or use torch.softmax, which does.",
    ),
    instance_mistakes.kept_on_the_class("        self.num_heads = num_heads\n", "the number of heads"),
    mask_mistakes.zero_scores_masked(),
    *mask_mistakes.inverted_in_place(),
    score_mistakes.clamped("scores / math.sqrt(self.head_dim)"),
    Mistake(
        "mask-of-the-first-sequence",
        find="self._attend(latent, key, value, mask)",
        replace="self._attend(latent, key, value, None if mask is None else mask[:1])",
        says="You use the mask of the first sequence for all of the batch. Each has its own.",
    ),
    Mistake(
        "residual-added",
        find="return self.o_proj(merged)",
        replace="return x + self.o_proj(merged)",
        says="You add x to the result. The residual connection belongs to the block around the attention.",
    ),
]
