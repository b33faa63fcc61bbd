"""Known wrong versions of `kv_cache`."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.attention.mistakes import attention_mistakes

DTYPE_IGNORED = Mistake(
    "dtype-ignored",
    find="""\
        self._keys = torch.zeros(shape, dtype=dtype)
        self._values = torch.zeros(shape, dtype=dtype)""",
    replace="""\
        self._keys = torch.zeros(shape)
        self._values = torch.zeros(shape)""",
    says="Your storage ignores dtype: it is float32 always, so a float64 model loses digits and then "
    "meets keys of another dtype than its queries. Pass dtype=dtype.",
)

SPLIT = """\
        query = self.q_proj(x).view(batch, new, -1, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, new, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, new, self.num_kv_heads, self.head_dim).transpose(1, 2)"""


MISTAKES = [
    Mistake(
        "is-causal-behind-a-prefix",
        find="F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
        replace="F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)",
        says="You pass is_causal=True although there are more keys than queries. It aligns the first query "
        "with the first key, so a new token behind a prefix sees the first key only. Align the last query "
        "with the last key: query i of the chunk may see keys 0 to past + i.",
    ),
    Mistake(
        "is-causal-for-chunks",
        find="(query, key, value, mask, enable_gqa=True)",
        replace="(query, key, value, is_causal=new > 1, enable_gqa=True)",
        says="You pass is_causal=True for a chunk of several tokens behind a prefix. It aligns the first "
        "query with the first key, so the chunk hardly sees the prefix. Align the last query with the last "
        "key: query i of the chunk may see keys 0 to past + i.",
    ),
    Mistake(
        "mask-left-out-behind-a-prefix",
        find="(query, key, value, mask, enable_gqa=True)",
        replace="(query, key, value, mask if past == 0 else None, enable_gqa=True)",
        says="Behind cached tokens every token of a chunk sees the later ones of its chunk too. Either no "
        "mask is applied there, which is right for one new token only, or one that leaves out what is not "
        "filled yet and no more. Query i of the chunk may see keys 0 to past + i.",
    ),
    Mistake(
        "nothing-masked-with-a-cache",
        find="(query, key, value, mask, enable_gqa=True)",
        replace="(query, key, value, mask if cache is None else None, enable_gqa=True)",
        says="With a cache every token sees the later ones of its chunk, in the first chunk too. Either "
        "there is no mask, or it leaves out what is not filled yet and no more, or it is made from a "
        "cache.length read after update, which has grown by then. Query i may see keys 0 to past + i, "
        "where past is the length before.",
    ),
    Mistake(
        "not-causal",
        find="F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
        replace="F.scaled_dot_product_attention(query, key, value, enable_gqa=True)",
        says="Your attention is not causal: every token sees the later ones, and then earlier results would "
        "change when tokens come. Query i may see keys 0 to past + i.",
    ),
    Mistake(
        "scale-missing",
        find="query, key, value, mask, enable_gqa=True)",
        replace="query, key, value, mask, scale=1.0, enable_gqa=True)",
        says="You do not scale the scores. Divide them by sqrt(head_dim): a dot product of head_dim terms "
        "has that standard deviation, and unscaled the softmax saturates.",
    ),
    Mistake(
        "positions-restart",
        find="positions = torch.arange(past, past + new, device=x.device)",
        replace="positions = torch.arange(new, device=x.device)",
        also=(("<= positions[:, None]", "<= past + positions[:, None]"),),
        says="Your rotary positions start at 0 in every call, so a token behind a prefix is turned as if it "
        "were the first, and all distances to the prefix are wrong. They go on from cache.length.",
    ),
    Mistake(
        "positions-one-too-large",
        find="positions = torch.arange(past, past + new, device=x.device)",
        replace="positions = torch.arange(past + 1, past + new + 1, device=x.device)",
        also=(("<= positions[:, None]", "< positions[:, None]"),),
        says="Your positions start at 1. All distances, and so the results, are right, but the cached keys "
        "are turned too far. The first token is at position 0.",
    ),
    Mistake(
        "positions-after-the-update",
        find="""\
        positions = torch.arange(past, past + new, device=x.device)
        query = _turn""",
        replace="""\
        positions = torch.arange(past, past + new, device=x.device)
        positions = positions if cache is None else positions + new
        query = _turn""",
        also=(("<= positions[:, None]", "<= torch.arange(past, past + new)[:, None]"),),
        says="Your positions are too large by the number of new tokens: cache.length advanced before you "
        "read it. Chunks of one size hide that (all distances stay right). A chunk's first position is the "
        "number of tokens cached before it.",
    ),
    Mistake(
        "keys-cached-before-rotation",
        find="key = _turn(key, positions, self.base)",
        replace="pass",
        also=(
            (
                "        # The last query is aligned",
                """\
        key = _turn(key, torch.arange(past + new), self.base)
        # The last query is aligned""",
            ),
        ),
        says="You cache the keys as they are projected, and turn all of them at every step. The results are "
        "right, but a token's position never changes: turn its key once, before it is cached.",
    ),
    Mistake(
        "keys-not-turned",
        find="key = _turn(key, positions, self.base)",
        replace="pass",
        says="You turn the queries but not the keys. Scores depend on the distance only when both are "
        "turned, each by its own position: turn the new keys before they are cached.",
    ),
    Mistake(
        "queries-not-turned",
        find="        query = _turn(query, positions, self.base)\n",
        replace="",
        says="You turn the keys but not the queries. Scores depend on the distance only when both are "
        "turned, each by its own position.",
    ),
    Mistake(
        "values-turned",
        find="        if cache is not None:\n",
        replace="        value = _turn(value, positions, self.base)\n        if cache is not None:\n",
        says="You turn the values too. They do not enter a score, and nothing turns their sum back: only "
        "queries and keys are turned.",
    ),
    Mistake(
        "neighbours-turned",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)""",
        replace="""\
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1).flatten(-2)""",
        says="You turn neighbouring features (0, 1), (2, 3), … Here pair i is feature i and feature i + "
        "head_dim / 2.",
    ),
    Mistake(
        "base-ignored",
        find="        self.base = base",
        replace="        self.base = 10000.0",
        says="You compute the angles with the base 10000, whatever base the constructor got.",
    ),
    DTYPE_IGNORED,
    # The same where matrix products meet the two dtypes, not the fused attention.
    replace(
        DTYPE_IGNORED,
        id="dtype-ignored-in-matrix-products",
        also=(
            (
                "        context = F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
                """\
        groups = query.shape[1] // self.num_kv_heads
        scores = query @ key.repeat_interleave(groups, dim=1).mT / self.head_dim**0.5
        weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)
        context = weights @ value.repeat_interleave(groups, dim=1)""",
            ),
        ),
    ),
    Mistake(
        "kv-heads-tiled",
        find="F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=True)",
        replace="""\
(
            F.scaled_dot_product_attention(
                query,
                key.repeat(1, query.shape[1] // self.num_kv_heads, 1, 1),
                value.repeat(1, query.shape[1] // self.num_kv_heads, 1, 1),
                mask,
            )
        )""",
        says="You tile the key/value heads (0 1 0 1). Neighbouring query heads share one (0 0 1 1): query "
        "head i reads key/value head i // (num_heads // num_kv_heads), which is what repeat_interleave and "
        "enable_gqa=True give.",
    ),
    attention_mistakes.heads_merged_without_transpose(seq="new"),
    attention_mistakes.heads_merged_interleaved(seq="new"),
    attention_mistakes.heads_split_without_transpose(SPLIT, seq="new"),
    attention_mistakes.heads_split_and_merged_without_transpose(SPLIT, seq="new", tokens="new"),
    attention_mistakes.heads_interleaved(SPLIT),
    Mistake(
        "biases-not-left-out",
        find="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)""",
        replace="""\
        self.q_proj = nn.Linear(hidden_size, hidden_size)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(hidden_size, hidden_size)""",
        says="Your projections have biases. nn.Linear has one unless told otherwise, and here, as in Llama, "
        "there are none: pass bias=False.",
    ),
    instance_mistakes.kept_on_the_class("        self.base = base\n", "the base of the angles"),
    Mistake(
        "rotary-pairs-put-in-halves",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)""",
        replace="""\
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)""",
        says="You turn neighbouring features, (0, 1), (2, 3), …, and put the results in halves. Here pair "
        "i is feature i and feature i + half, and both stay in their places.",
    ),
    Mistake(
        "rotary-every-two-with-tables-of-halves",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)""",
        replace="""\
    turned = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)
    return x * torch.cat((cos, cos), dim=-1) + turned * torch.cat((sin, sin), dim=-1)""",
        says="You pair neighbouring features as rotate_every_two does, with tables that repeat the angles in "
        "halves: the two of a pair get different angles. Here pair i is feature i and feature i + half: "
        "rotate_half.",
    ),
    Mistake(
        "turned-backwards",
        find="torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)",
        replace="torch.cat((first * cos + second * sin, second * cos - first * sin), dim=-1)",
        says="You turn queries and keys by the negative angle. Scores still depend on distances alone, but "
        "a key three places back counts as one three places ahead. Pair (a, b) becomes (a cos t - b sin t, a "
        "sin t + b cos t): the half turned by 90 degrees is (-b, a).",
    ),
    Mistake(
        "turned-half-without-its-sign",
        find="torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)",
        replace="torch.cat((first * cos + second * sin, first * sin + second * cos), dim=-1)",
        says="You swap the halves without a sign, which is no rotation. Pair (a, b) becomes (a cos t - b sin "
        "t, a sin t + b cos t): the half turned by 90 degrees is (-b, a).",
    ),
]
