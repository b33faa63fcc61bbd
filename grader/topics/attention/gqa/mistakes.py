"""Known wrong versions of `gqa`."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families import dropout_mistakes, instance_mistakes
from grader.kit.families.attention.mistakes import attention_mistakes, mask_mistakes, score_mistakes

SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)"""


MISTAKES = [
    Mistake(
        "scale-by-the-key-width",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(self.num_kv_heads * self.head_dim)",
        says="You divide the scores by the root of all the keys' features, num_kv_heads * head_dim. Each "
        "head's dot product has head_dim terms, so divide by sqrt(head_dim).",
    ),
    attention_mistakes.biases_left_out("""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)"""),
    dropout_mistakes.BEFORE_SOFTMAX,
    dropout_mistakes.IN_SCORES,
    Mistake(
        "kv-heads-tiled",
        find="""\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        key = key.repeat(1, groups, 1, 1)
        value = value.repeat(1, groups, 1, 1)""",
        says="Your query head i reads key/value head i % num_kv_heads: repeat tiles the heads (0 1 0 1), and "
        "a view of the query heads as (groups, num_kv_heads) pairs them alike. Repeat each head in "
        "place (0 0 1 1), with repeat_interleave: query head i reads key/value head "
        "i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "key-heads-tiled",
        find="key.repeat_interleave(groups, dim=1)",
        replace="key.repeat(1, groups, 1, 1)",
        says="You tile the key heads (0 1 0 1) but repeat the value heads in place (0 0 1 1), so "
        "weights and values come from different heads. Repeat both in place: query head i reads "
        "key/value head i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "value-heads-tiled",
        find="value.repeat_interleave(groups, dim=1)",
        replace="value.repeat(1, groups, 1, 1)",
        says="You tile the value heads (0 1 0 1) but repeat the key heads in place (0 0 1 1), so "
        "weights and values come from different heads. Repeat both in place: query head i reads "
        "key/value head i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "only-the-first-kv-head",
        find="""\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        key = key[:, :1].expand(-1, groups * self.num_kv_heads, -1, -1)
        value = value[:, :1].expand(-1, groups * self.num_kv_heads, -1, -1)""",
        says="All your query heads read the first key/value head, which is multi-query attention. Only "
        "the num_heads // num_kv_heads query heads of one group share a head: query head i reads "
        "head i // (num_heads // num_kv_heads).",
    ),
    Mistake(
        "kv-heads-split-without-transpose",
        find="""\
        key = self.k_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)""",
        replace="""\
        key = self.k_proj(x).view(batch, self.num_kv_heads, seq, self.head_dim)
        value = self.v_proj(x).view(batch, self.num_kv_heads, seq, self.head_dim)""",
        says="You view keys and values directly as (batch, num_kv_heads, seq, head_dim), which mixes "
        "features of different tokens. Split the last dimension, view(batch, seq, num_kv_heads, "
        "head_dim), and then transpose(1, 2).",
    ),
    attention_mistakes.value_from_key(),
    attention_mistakes.key_and_value_swapped(),
    attention_mistakes.heads_merged_without_transpose(),
    attention_mistakes.heads_merged_interleaved(),
    score_mistakes.SCALE_BY_HIDDEN_SIZE,
    score_mistakes.scale_missing("scores = scores / math.sqrt(self.head_dim)", "head_dim"),
    *score_mistakes.other_scales("scores", "self.head_dim", "head_dim"),
    attention_mistakes.output_projection_forgotten(),
    Mistake(
        "kv-divisibility-unchecked",
        find="""\
        if num_heads % num_kv_heads != 0:
            raise ValueError(f"num_heads {num_heads} is not divisible by num_kv_heads {num_kv_heads}")
""",
        replace="",
        says="You accept a num_kv_heads that does not divide num_heads, so the groups do not come out "
        "even: forward fails with a shape error, or some keys serve more queries than others. Raise a "
        "ValueError in the constructor, for this as for hidden_size and num_heads.",
    ),
    Mistake(
        "kv-divisibility-of-the-hidden-size",
        find="if num_heads % num_kv_heads != 0:",
        replace="if hidden_size % num_kv_heads != 0:",
        says="You accept 6 key/value heads for 3 query heads (hidden_size is 42): you ask whether "
        "num_kv_heads divides hidden_size, for example. It has to divide num_heads, so that the groups come "
        "out even: raise a ValueError where num_heads % num_kv_heads is not 0.",
    ),
    dropout_mistakes.IN_EVALUATION,
    mask_mistakes.INVERTED,
    *mask_mistakes.inverted_in_place(),
    Mistake(
        "kv-repeated-along-the-sequence",
        find="""\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)""",
        replace="""\
        key = key.repeat_interleave(groups, dim=2)
        value = value.repeat_interleave(groups, dim=2)""",
        says="You repeat the tokens instead of the heads: in (batch, num_kv_heads, seq, head_dim) "
        "dimension 1 holds the heads. Every query head needs a key/value head of its own group, "
        "over the same tokens.",
    ),
    Mistake(
        "repeated-num-kv-heads-times",
        find="        groups = self.num_heads // self.num_kv_heads",
        replace="        groups = self.num_kv_heads",
        says="You repeat each key/value head num_kv_heads times. There are num_kv_heads of them and "
        "num_heads are needed, so repeat each num_heads // num_kv_heads times.",
    ),
    attention_mistakes.heads_split_without_transpose(SPLIT, heads="heads"),
    attention_mistakes.heads_split_and_merged_without_transpose(SPLIT),
    attention_mistakes.heads_interleaved(SPLIT),
    attention_mistakes.heads_interleaved_and_merged_alike(SPLIT),
    Mistake(
        "kv-heads-not-shared",
        find="""\
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)""",
        replace="""\
        self.num_kv_heads = num_heads
        self.k_proj = nn.Linear(hidden_size, hidden_size)
        self.v_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Your k_proj and v_proj give a key and a value to every query head, which is multi-head "
        "attention. They map to num_kv_heads * head_dim features: that is what makes the KV cache "
        "small.",
    ),
    Mistake(
        "head-dim-from-kv-heads",
        find="""\
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)""",
        replace="""\
        self.k_proj = nn.Linear(hidden_size, hidden_size // num_kv_heads)
        self.v_proj = nn.Linear(hidden_size, hidden_size // num_kv_heads)""",
        says="Your k_proj and v_proj map to hidden_size // num_kv_heads features. A key/value head has "
        "as many features as a query head, head_dim = hidden_size // num_heads, and there are "
        "num_kv_heads of them: num_kv_heads * head_dim.",
    ),
    mask_mistakes.added(),
    mask_mistakes.fills_zero(),
    mask_mistakes.ignored(),
    mask_mistakes.times_minus_infinity(),
    score_mistakes.QUERY_AND_KEY_SWAPPED,
    score_mistakes.KEY_RESHAPED,
    score_mistakes.WEIGHTS_TRANSPOSED,
    score_mistakes.softmax_over_queries("(batch, num_heads, seq, seq)"),
    *mask_mistakes.with_either_fill(score_mistakes.SOFTMAX_OVER_HEADS),
    dropout_mistakes.MISSING,
    dropout_mistakes.BACKWARD_FORGETS_THE_MASK,
    dropout_mistakes.backward_forgets_the_mask_for_values(),
    attention_mistakes.DIVISIBILITY_UNCHECKED,
    mask_mistakes.fill_not_low_enough(),
    mask_mistakes.added_number_not_low_enough(),
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax_renormalised_to_zeros(),
    score_mistakes.clamped("scores / math.sqrt(self.head_dim)"),
    mask_mistakes.after_softmax(),
    score_mistakes.max_not_subtracted(),
    score_mistakes.largest_of_all_subtracted(),
    dropout_mistakes.NOT_RESCALED,
    dropout_mistakes.ON_CONTEXT,
    dropout_mistakes.ON_VALUES,
    replace(
        dropout_mistakes.ON_VALUES,
        id="dropout-on-values-of-groups",
        also=(("self.v_proj(x)", "self.dropout(self.v_proj(x))"),),
    ),
    dropout_mistakes.on_output(),
    dropout_mistakes.SHARED_BY_HEADS,
    dropout_mistakes.SHARED_BY_QUERIES,
    dropout_mistakes.SHARED_BY_SEQUENCES,
    dropout_mistakes.SHARED_BY_SEQUENCES_AND_HEADS,
    dropout_mistakes.SHARED_BY_EVERYTHING,
    Mistake(
        "dropout-shared-by-groups",
        find="        weights = self.dropout(weights)\n",
        replace="""\
        kept = self.dropout(torch.ones_like(weights[:, ::groups]))
        weights = weights * kept.repeat_interleave(groups, dim=1)
""",
        says="You draw once for each key/value head, so the query heads that share it all miss the same "
        "tokens. Draw for each weight on its own, in the shape of the weights of all query heads.",
    ),
    dropout_mistakes.OF_WHOLE_QUERIES,
    dropout_mistakes.KEEPS_THAT_SHARE,
    dropout_mistakes.RENORMALISED,
    dropout_mistakes.RENORMALISED_TO_NAN,
    Mistake(
        "heads-merged-in-group-order",
        find="context.transpose(1, 2).reshape(batch, seq, hidden_size)",
        replace="context.unflatten(1, (-1, groups)).permute(0, 3, 2, 1, 4).reshape(batch, seq, hidden_size)",
        says="You merge the heads with the place in the group first, so o_proj gets the first head of every "
        "group, then the second ones. The query heads' results stand side by side in their order: the group "
        "(num_kv_heads) comes first, the place in it second.",
    ),
    Mistake(
        "scale-by-kv-heads",
        find="math.sqrt(self.head_dim)",
        replace="math.sqrt(hidden_size // self.num_kv_heads)",
        says="You divide the scores by sqrt(hidden_size // num_kv_heads). A key/value head has as many "
        "features as a query head, hidden_size // num_heads: divide by the root of that.",
    ),
    instance_mistakes.kept_on_the_class(
        "        self.num_kv_heads = num_kv_heads\n", "the number of key/value heads"
    ),
    mask_mistakes.repeated_heads_first(),
    mask_mistakes.OF_THE_FIRST_QUERY,
    mask_mistakes.OF_THE_FIRST_HEAD,
    Mistake(
        "mask-by-the-number-of-the-group",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="""\
scores.masked_fill(
                ~mask[:, : self.num_kv_heads].repeat_interleave(groups, dim=1)
                if mask.shape[1] > 1
                else ~mask,
                -math.inf,
            )""",
        says="All query heads of group g get head g's mask. The mask's heads are query heads, and each has "
        "its own: group g has the heads from g * groups on, groups = num_heads // num_kv_heads of them.",
    ),
    Mistake(
        "mask-in-another-order-of-heads",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="""\
scores.masked_fill(
                ~mask.unflatten(1, (groups, -1)).transpose(1, 2).flatten(1, 2)
                if mask.shape[1] > 1
                else ~mask,
                -math.inf,
            )""",
        says="You split the mask's heads as (place in the group, group), and the query heads as (group, "
        "place in the group), so heads get each other's masks. Head i of the mask is for query head i: split "
        "both alike, as (num_kv_heads, num_heads // num_kv_heads).",
    ),
    *(
        Mistake(
            f"mask-of-heads-laid-on-{what}",
            find="scores.masked_fill(~mask, -math.inf)",
            replace=f"""\
scores.unflatten(1, (-1, groups))
            scores = scores.masked_fill(~mask.unsqueeze({place}), -math.inf).flatten(1, 2)""",
            says="You give the mask one dimension more for scores of (batch, num_kv_heads, place in the "
            f"group, query, key), so its heads meet {said}. That broadcasts for a mask of one head only; one "
            "of each query head raises. Split the mask's heads as you split the query heads, or leave the "
            "scores as (batch, num_heads, query, key).",
        )
        for what, place, said in (
            ("the-places-in-the-group", 1, "the places in the group"),
            ("the-key-value-heads", 2, "the key/value heads"),
        )
    ),
    Mistake(
        "mask-in-the-order-of-tokens",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="""\
scores.unflatten(1, (-1, groups)).transpose(2, 3)  # what the members of a group ask, token by token
            scores = scores.reshape(batch, self.num_heads, seq, seq).masked_fill(~mask, -math.inf)
            scores = scores.view(batch, -1, seq, groups, seq).transpose(2, 3).flatten(1, 2)""",
        says="You fold the queries of a group together token by token, (seq, group), and view the scores as "
        "(group, seq) for the mask: a view does not move data, so queries get each other's masks. Move the "
        "group before the tokens first, or fold in that order.",
    ),
    mask_mistakes.zero_scores_masked(),
    score_mistakes.scale_by_length("math.sqrt(self.head_dim)", "seq"),
]
