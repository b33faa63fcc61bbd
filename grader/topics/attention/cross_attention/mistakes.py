"""Known wrong versions of `cross_attention`."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes, instance_mistakes
from grader.kit.families.attention.mistakes import (
    attention_mistakes,
    floor_mistakes,
    layout_mistakes,
    mask_mistakes,
    score_mistakes,
    unmasked_mistakes,
)

LAYERS = """\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""


SPLIT = """\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        # Nothing here depends on x: while a decoder generates, keys and values are computed only once.
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)"""


MISTAKES = [
    Mistake(
        "context-viewed-with-the-length-of-x",
        find="key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)",
        replace="key = self.k_proj(context).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)",
        says="You view the keys (or the values) with the length of x. They are as many as the context has "
        "tokens: its length is context.shape[1].",
    ),
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    Mistake(
        "keys-and-values-from-x",
        find="""\
        src = context.shape[1]
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        # Nothing here depends on x: while a decoder generates, keys and values are computed only once.
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)""",
        says="Your keys and values come from x: that is self-attention, and the context is never read. "
        "Project keys and values from context.",
    ),
    Mistake(
        "values-from-x",
        find="self.v_proj(context).view(batch, src,",
        replace="self.v_proj(x).view(batch, tgt,",
        says="Your values come from x. A weight says how much to take of a token of context, so keys and "
        "values both come from context; only the queries come from x.",
    ),
    Mistake(
        "keys-from-x",
        find="self.k_proj(context).view(batch, src,",
        replace="self.k_proj(x).view(batch, tgt,",
        says="Your keys come from x. The weights have to say which tokens of context fit the query, so keys "
        "and values both come from context; only the queries come from x.",
    ),
    Mistake(
        "roles-swapped",
        find="""\
        batch, tgt, hidden_size = x.shape
        src = context.shape[1]""",
        replace="""\
        x, context = context, x
        batch, tgt, hidden_size = x.shape
        src = context.shape[1]""",
        says="You have the roles the wrong way round: context asks and x answers. The result should have one "
        "row for each token of x: queries from x, keys and values from context.",
    ),
    Mistake(
        "context-size-ignored",
        find="""\
        if context_size is None:
            context_size = hidden_size""",
        replace="        context_size = hidden_size",
        says="Your k_proj and v_proj always take hidden_size features. They project tokens of context, which "
        "have context_size features: nn.Linear(context_size, hidden_size).",
    ),
    Mistake(
        "projected-to-the-context-size",
        find=LAYERS,
        replace="""\
        self.q_proj = nn.Linear(hidden_size, context_size)
        self.k_proj = nn.Linear(context_size, context_size)
        self.v_proj = nn.Linear(context_size, context_size)
        self.o_proj = nn.Linear(context_size, hidden_size)""",
        says="You attend in context_size features. The heads cut up hidden_size: q_proj, k_proj and v_proj "
        "all project to hidden_size, and only the inputs of k_proj and v_proj have context_size.",
    ),
    Mistake(
        "linear-layer-the-wrong-way-round",
        find="""\
        self.k_proj = nn.Linear(context_size, hidden_size)
        self.v_proj = nn.Linear(context_size, hidden_size)""",
        replace="""\
        self.k_proj = nn.Linear(hidden_size, context_size)
        self.v_proj = nn.Linear(hidden_size, context_size)""",
        says="Your k_proj and v_proj map hidden_size to context_size. It is the other way round: they take "
        "tokens of context, nn.Linear(context_size, hidden_size), input size first.",
    ),
    Mistake(
        "context-size-must-divide",
        find="""\
        self.num_heads = num_heads
""",
        replace="""\
        if context_size % num_heads != 0:
            raise ValueError(f"context_size {context_size} is not divisible by num_heads {num_heads}")
        self.num_heads = num_heads
""",
        says="You reject a context_size that num_heads does not divide. The heads cut up the projections, "
        "which have hidden_size features; context_size can be any number.",
    ),
    Mistake(
        "keys-and-values-of-the-first-call",
        find="""\
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        if not hasattr(self, "cache") or self.cache[0].shape[:3:2] != (batch, src):
            key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
            value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
            self.cache = key, value
        key, value = self.cache""",
        says="You keep the keys and values of an earlier call, and answer for another context with them. A "
        "cache belongs to one generation, not to the module: compute them from the context that came.",
    ),
    *mask_mistakes.with_either_fill(
        Mistake(
            "causal-mask-added",
            find="        if mask is not None:",
            replace="""\
        causal = torch.ones(tgt, src, dtype=torch.bool, device=x.device).tril()
        mask = causal if mask is None else mask & causal
        if mask is not None:""",
            says="You apply a causal mask. That belongs to the decoder's self-attention: the context is "
            "known as a whole, so every token of x may attend to all of it (as far as the mask allows).",
        )
    ),
    attention_mistakes.heads_split_without_transpose(SPLIT, seq="length"),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT, heads="results", seq="tgt"),
    attention_mistakes.heads_merged_without_transpose("results", "tgt"),
    attention_mistakes.heads_merged_interleaved("results", "tgt"),
    attention_mistakes.heads_split_and_merged_without_transpose(
        SPLIT, heads="results", seq="tgt", tokens="length"
    ),
    attention_mistakes.value_from_key("context"),
    attention_mistakes.key_and_value_swapped("context"),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    *score_mistakes.other_scales("scores", "self.head_dim", "head_dim"),
    Mistake(
        "mask-as-truth-value",
        find="        if mask is not None:",
        replace="        if mask:",
        says="You write `if mask:` for a tensor, whose truth value is ambiguous (and for a single False it "
        "would skip the mask). Ask whether there is one: `if mask is not None:`.",
    ),
    mask_mistakes.INVERTED,
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    mask_mistakes.after_softmax(),
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    score_mistakes.KEY_RESHAPED,
    *mask_mistakes.with_either_fill(score_mistakes.softmax_over_queries("(batch, num_heads, tgt, src)")),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.ON_VALUES,
    dropout_mistakes.on_output("merged"),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.IN_SCORES,
    dropout_mistakes.IN_EVALUATION,
    dropout_mistakes.MISSING,
    dropout_mistakes.BACKWARD_FORGETS_THE_MASK,
    dropout_mistakes.backward_forgets_the_mask_for_values(),
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.RENORMALISED,
    dropout_mistakes.RENORMALISED_TO_NAN,
    attention_mistakes.output_projection_forgotten("merged"),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax_renormalised_to_zeros(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    instance_mistakes.kept_on_the_class("        self.num_heads = num_heads\n", "the number of heads"),
    mask_mistakes.repeated_heads_first(),
    mask_mistakes.OF_THE_FIRST_QUERY,
    mask_mistakes.OF_THE_FIRST_HEAD,
    mask_mistakes.zero_scores_masked(),
    score_mistakes.scale_by_length("math.sqrt(self.head_dim)", "src"),
    score_mistakes.scale_by_input_size("math.sqrt(self.head_dim)", "context.shape[-1]", "context"),
    Mistake(
        "scale-by-a-heads-share-of-the-context",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(context.shape[-1] / self.num_heads)",
        says="You scale by context_size / num_heads. A score is a dot product of head_dim terms, hidden_size "
        "/ num_heads, whatever the tokens were projected from: divide by sqrt(head_dim).",
    ),
    *(
        attention_mistakes.keys_split_without_transpose(
            SPLIT[SPLIT.index(first) :].split(last)[0].rstrip(),
            what=name,
            name=name,
            heads="num_heads",
            seq="src",
        )
        for name, first, last in [
            ("keys", "        key =", "        value ="),
            ("values", "        value =", "\n\n"),
        ]
    ),
    attention_mistakes.keys_split_without_transpose(
        SPLIT[SPLIT.index("        key =") :],
        what="keys and values",
        name="context",
        heads="num_heads",
        seq="src",
    ),
    *mask_mistakes.inverted_in_place(),
    score_mistakes.clamped("scores / math.sqrt(self.head_dim)"),
    dropout_mistakes.SHARED_BY_HEADS,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.OF_WHOLE_QUERIES,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_SEQUENCES_AND_HEADS,
    dropout_mistakes.SHARED_BY_EVERYTHING,
    Mistake(
        "context-detached",
        find="        src = context.shape[1]\n",
        replace="        context = context.detach()\n        src = context.shape[1]\n",
        says="No gradient reaches the context: you detach it (.data and no_grad do that, too). It is what an "
        "encoder gives, which learns by that gradient alone.",
    ),
    Mistake(
        "residual-added",
        find="return self.o_proj(merged)",
        replace="return x + self.o_proj(merged)",
        says="You add x to the result. The residual connection belongs to the block around the attention.",
    ),
    Mistake(
        "causal-without-a-mask",
        find="        if mask is not None:",
        replace="""\
        if mask is None:
            mask = torch.ones(tgt, src, dtype=torch.bool, device=x.device).tril()
        if mask is not None:""",
        says="Without a mask your attention is causal. The context is known as a whole: without a mask every "
        "token of x attends to all of it.",
    ),
    layout_mistakes.transposed(
        "", "self.q_proj(x)", "self.k_proj(context)", "self.v_proj(context)", "self.o_proj(merged)"
    ),
    layout_mistakes.transposed("input", "self.q_proj(x)", "self.k_proj(context)", "self.v_proj(context)"),
    layout_mistakes.transposed("output", "self.o_proj(merged)"),
    *floor_mistakes.after_softmax_renormalised("plus 1e-9", "plus 1e-8", "plus 1e-6"),
    unmasked_mistakes.max_not_subtracted(),
]
