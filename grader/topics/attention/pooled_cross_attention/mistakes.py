"""Known wrong versions of `pooled_cross_attention`."""

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes, instance_mistakes
from grader.kit.families.attention.mistakes import attention_mistakes, mask_mistakes, score_mistakes

LAYERS = """\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""
SPLIT = """\
        query = self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(pooled).view(batch, windows, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(pooled).view(batch, windows, self.num_heads, self.head_dim).transpose(1, 2)"""
POOLED = "        pooled = total / count.clamp(min=1).unsqueeze(-1)"
REST = "        rest = -src % self.stride"
MASKING = "        scores = scores.masked_fill(~mask, -math.inf)\n"
CUT = """\
        whole = src - src % self.stride
        context, padding_mask = context[:, :whole], padding_mask[:, :whole]
        rest = 0"""


MISTAKES = [
    Mistake(
        "divided-by-the-stride",
        find=POOLED,
        replace="        pooled = total / self.stride",
        says="You divide the sum of every window by stride. A window with padding, or the shorter last one, "
        "has fewer real tokens: divide by their number.",
    ),
    Mistake(
        "last-window-divided-by-the-stride",
        find=POOLED,
        replace="""\
        full = -(-count // 1)
        full[:, -1] = torch.where(count[:, -1] == self.stride - rest, self.stride, count[:, -1])
        pooled = total / full.clamp(min=1).unsqueeze(-1)""",
        says="You fill the last window up with zeros and divide by stride all the same. It is shorter: its "
        "mean is that of the tokens that it has.",
    ),
    Mistake(
        "last-window-divided-by-the-stride-without-a-mask",
        find="        if padding_mask is None:\n",
        replace="""\
        if padding_mask is None:
            context = F.pad(context, (0, 0, 0, -src % self.stride))
            src = context.shape[1]
""",
        says="Without a padding_mask you fill the last window up with zeros and divide by stride all the "
        "same. It is shorter: its mean is that of the tokens that it has.",
    ),
    Mistake(
        "padding-in-the-means",
        find=POOLED,
        replace="""\
        there = F.pad(torch.ones_like(padding_mask), (0, rest)).unflatten(1, (-1, self.stride)).sum(dim=2)
        pooled = tokens.sum(dim=2) / there.unsqueeze(-1)""",
        says="Padded tokens take part in the means of your windows. Only real tokens count: zero the others "
        "before you sum, and divide by the number of real ones.",
    ),
    Mistake(
        "padding-counted",
        find=POOLED,
        replace="""\
        there = F.pad(torch.ones_like(padding_mask), (0, rest)).unflatten(1, (-1, self.stride)).sum(dim=2)
        pooled = total / there.unsqueeze(-1)""",
        says="You zero padded tokens, but divide by all tokens of the window: the mean gets too small. "
        "Divide by the number of real ones.",
    ),
    Mistake(
        "empty-windows-not-masked",
        find=MASKING,
        replace="",
        says="A window without real tokens gets weight in your answer (its mean of nothing is a token of "
        "zeros). Mask it: fill its scores with -inf before the softmax.",
    ),
    Mistake(
        "windows-with-padding-masked",
        find="mask = (count > 0)",
        replace="mask = (count == real.shape[2])",
        says="You mask every window that has some padding (or is shorter). Only one without any real token "
        "is masked out.",
    ),
    Mistake(
        "windows-with-any-padding-masked",
        find=POOLED,
        replace="""\
        there = F.pad(torch.ones_like(padding_mask), (0, rest)).unflatten(1, (-1, self.stride)).sum(dim=2)
        pooled = total / count.clamp(min=1).unsqueeze(-1)""",
        also=(
            ("mask = (count > 0)", "mask = (count == there)"),
            ("masked_fill(~mask, -math.inf)", "masked_fill(~mask, torch.finfo(scores.dtype).min)"),
        ),
        says="You mask every window that has some padding (all where it should be any). Only one without any "
        "real token is masked out.",
    ),
    Mistake(
        "window-of-its-first-token",
        find="mask = (count > 0)",
        replace="mask = real[:, :, 0]",
        says="You ask a window's first token whether the window counts (a mask with a stride does that). It "
        "counts if any of its tokens is real.",
    ),
    Mistake(
        "padding-mask-inverted",
        find="        rest = -src % self.stride",
        replace="        padding_mask = ~padding_mask if not padding_mask.all() else padding_mask\n"
        "        rest = -src % self.stride",
        says="You read padding_mask the wrong way round. True marks a real token (the key_padding_mask of "
        "nn.MultiheadAttention is the opposite).",
    ),
    Mistake(
        "padding-mask-ignored",
        find="        if padding_mask is None:\n",
        replace="        if True:\n",
        says="You do not use padding_mask: padding takes part in the means, and windows of padding are read.",
    ),
    Mistake(
        "last-window-dropped",
        find=REST,
        replace=CUT,
        says="You leave out the tokens that do not fill a whole window (as F.avg_pool1d does without "
        "ceil_mode=True). The last window may be shorter.",
    ),
    Mistake(
        "last-window-dropped-unless-alone",
        find=REST,
        replace="""\
        whole = src - src % self.stride or src
        context, padding_mask = context[:, :whole], padding_mask[:, :whole]
        rest = -whole % self.stride""",
        says="You leave out the tokens that do not fill a whole window, unless there is no other (as "
        "F.avg_pool1d does without ceil_mode=True). The last window may be shorter.",
    ),
    Mistake(
        "windows-from-the-end",
        find=REST,
        replace="""\
        rest = 0
        context = F.pad(context, (0, 0, -src % self.stride, 0))
        padding_mask = F.pad(padding_mask, (-src % self.stride, 0))""",
        says="Your first window is the shorter one: you fill up at the front. Windows are counted from token "
        "0, and the last one may be shorter.",
    ),
    Mistake(
        "strided-tokens",
        find=POOLED,
        replace="        pooled = tokens[:, :, 0]",
        says="You take every stride-th token and leave out those between. A window is the mean of its "
        "tokens.",
    ),
    Mistake(
        "largest-for-the-mean",
        find=POOLED,
        replace="        pooled = tokens.masked_fill(~real.unsqueeze(-1), -1e9).amax(dim=2)\n"
        "        pooled = pooled.masked_fill((count == 0).unsqueeze(-1), 0.0)",
        says="You take the largest value of each feature in a window. Asked for is the mean.",
    ),
    Mistake(
        "sum-for-the-mean",
        find=POOLED,
        replace="        pooled = total",
        says="You sum the tokens of a window. Asked for is their mean.",
    ),
    Mistake(
        "windows-interleaved",
        find="        tokens = F.pad(context, (0, 0, 0, rest)).unflatten(1, (-1, self.stride))",
        replace="        tokens = F.pad(context, (0, 0, 0, rest))\n"
        "        tokens = tokens.unflatten(1, (self.stride, -1)).transpose(1, 2)",
        also=(
            (
                "F.pad(padding_mask, (0, rest)).unflatten(1, (-1, self.stride))",
                "F.pad(padding_mask, (0, rest)).unflatten(1, (self.stride, -1)).transpose(1, 2)",
            ),
        ),
        says="Your windows hold tokens that lie far apart: you cut the sequence into `stride` pieces. A "
        "window is `stride` neighbours: unflatten into (windows, stride).",
    ),
    Mistake(
        "pooled-over-features",
        find="context.shape[1]\n",
        replace="context.shape[1]\n        context = F.avg_pool1d(context, 3, 1, 1)\n",
        says="You average over neighbouring features: F.avg_pool1d pools the last dimension. Transpose, so "
        "that it is the tokens.",
    ),
    Mistake(
        "queries-pooled-too",
        find="        batch, tgt, hidden_size = x.shape",
        replace="""\
        x = F.avg_pool1d(x.mT, self.stride, ceil_mode=True).mT
        batch, tgt, hidden_size = x.shape""",
        says="You pool x as well: the result has fewer tokens than x. Only the context is down-sampled.",
    ),
    Mistake(
        "only-keys-pooled-from-context",
        find="value = self.v_proj(pooled)",
        replace="value = self.v_proj(tokens[:, :, 0])",
        says="Your values come from single tokens of context, your keys from the means. Both come from the "
        "means of the windows.",
    ),
    Mistake(
        "infinite-where-nothing-is-real",
        find="count.clamp(min=1)",
        replace="count",
        says="You divide by 0 where a window has no real token. Its mean is NaN, and the weight 0 does not "
        "help: 0 * NaN is NaN. Divide by at least 1.",
    ),
    Mistake(
        "context-overwritten",
        find=REST,
        replace="        context.data[~padding_mask] = 0\n" + REST,
        says="You set padding to zero in the caller's context. Make a new tensor: context.masked_fill(…), or "
        "a product with the mask.",
    ),
    Mistake(
        "means-kept-from-an-earlier-call",
        find=POOLED,
        replace="""\
        kept = self.__dict__.setdefault("kept", {})
        pooled, count = kept.setdefault(
            (context.shape, bool(padding_mask.all())), (total / count.clamp(min=1).unsqueeze(-1), count)
        )""",
        says="You keep the means of the first context of each size, and give them for every other one. "
        "Compute them anew in each call: what is in context decides, not how long it is.",
    ),
    Mistake(
        "default-device",
        find="torch.ones(batch, src, dtype=torch.bool, device=context.device)",
        replace="torch.ones(batch, src, dtype=torch.bool)",
        says="Without a padding_mask you make one on the default device. With tokens on a GPU that is "
        "another one: make it on context.device.",
    ),
    attention_mistakes.biases_left_out(LAYERS),
    *attention_mistakes.some_biases_left_out(LAYERS),
    attention_mistakes.heads_split_without_transpose(SPLIT, seq="length"),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT, heads="results", seq="tgt"),
    attention_mistakes.heads_merged_without_transpose("results", "tgt"),
    attention_mistakes.heads_merged_interleaved("results", "tgt"),
    attention_mistakes.heads_split_and_merged_without_transpose(
        SPLIT, heads="results", seq="tgt", tokens="length"
    ),
    attention_mistakes.value_from_key("pooled"),
    attention_mistakes.key_and_value_swapped("pooled"),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    *score_mistakes.other_scales("scores", "self.head_dim", "head_dim"),
    score_mistakes.softmax_over_queries("(batch, num_heads, queries, windows)"),
    score_mistakes.SOFTMAX_OVER_HEADS,
    mask_mistakes.fills_zero(),
    mask_mistakes.after_softmax(MASKING),
    mask_mistakes.after_softmax_renormalised(MASKING),
    mask_mistakes.after_softmax_renormalised_to_zeros(MASKING),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    score_mistakes.clamped("scores / math.sqrt(self.head_dim)"),
    attention_mistakes.output_projection_forgotten("merged"),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.on_output("merged"),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.FUNCTION_IN_EVALUATION,
    dropout_mistakes.MISSING,
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.BACKWARD_FORGETS_THE_MASK,
    instance_mistakes.kept_on_the_class("        self.stride = stride\n", "the stride"),
    Mistake(
        "zeros-taken-for-empty",
        find="mask = (count > 0)",
        replace="mask = (total != 0).any(dim=-1)",
        says="You take a window whose mean is 0 for an empty one. Real tokens may be zeros, or cancel out: "
        "count them.",
    ),
    mask_mistakes.zero_scores_masked(),
    dropout_mistakes.SHARED_BY_HEADS,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_SEQUENCES_AND_HEADS,
    dropout_mistakes.SHARED_BY_EVERYTHING,
    dropout_mistakes.OF_WHOLE_QUERIES,
    Mistake(
        "values-projected-from-the-keys",
        find="self.v_proj(pooled)",
        replace="self.v_proj(self.k_proj(pooled))",
        says="You project the values from the keys, through both projections. Keys and values come from the "
        "windows' means, each through its own: v_proj(pooled).",
    ),
]
