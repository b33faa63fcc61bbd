"""Known wrong versions of `llama`: rotary positions, groups of heads, attention."""

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import attention_mistakes as shared
from grader.kit.families.models.mistakes_in_attention import large_scores_under_a_causal_mask

FUSED = "F.scaled_dot_product_attention(query, key, value, is_causal=True)"
TURNED = "query, key = _turned(query, cos, sin), _turned(key, cos, sin)"
FORMULA = "return x * cos + torch.cat((-second, first), dim=-1) * sin"
CHUNKED = "    first, second = x.chunk(2, dim=-1)\n"
TWICE = "angles = torch.cat((angles, angles), dim=-1)"
FREQUENCIES = "frequencies = self.base ** (-pairs / self.head_dim)"
SPLIT = """\
        query = self.q_proj(x).view(batch, seq, self.num_heads, self.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, seq, self.num_kv_heads, self.head_dim).transpose(1, 2)
"""
REPEATED = """\
        key = key.repeat_interleave(groups, dim=1)  # (batch, num_heads, seq, head_dim)
        value = value.repeat_interleave(groups, dim=1)"""
POSITIONS = "torch.arange(seq, device=x.device)[:, None]"
NEIGHBOURS = "return x * cos + torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2) * sin"

MISTAKES = [
    Mistake(
        "values-turned",
        find=TURNED,
        replace=f"{TURNED}\n        value = _turned(value, cos, sin)",
        says="You turn the values too. They are what is passed on, and nothing would turn them back: only "
        "queries and keys are turned.",
    ),
    Mistake(
        "keys-not-turned",
        find=TURNED,
        replace="query = _turned(query, cos, sin)",
        says="You turn the queries only. A score depends on the distance if both are turned, query and key.",
    ),
    Mistake(
        "nothing-turned",
        find=TURNED,
        replace="pass",
        says="You never turn queries and keys, so the model has no positions at all.",
    ),
    Mistake(
        "tables-of-the-first-call",
        find="        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)",
        replace="""\
        if not hasattr(self, "kept"):
            self.kept = angles.cos(), angles.sin()
        return self.kept[0][:seq].to(x.dtype), self.kept[1][:seq].to(x.dtype)""",
        says="You keep the tables of the first call, which have too few rows for a longer sequence (those of "
        "a single token turn nothing at all, unnoticed). Make them anew when a longer one comes.",
    ),
    Mistake(
        "turned-by-head-number",
        find=SPLIT,
        replace=SPLIT.replace(".transpose(1, 2)", ""),
        also=(
            (
                TURNED,
                """\
cos_q, sin_q = cos[: self.num_heads], sin[: self.num_heads]
        cos_k, sin_k = cos[: self.num_kv_heads], sin[: self.num_kv_heads]
        query, key = _turned(query, cos_q, sin_q), _turned(key, cos_k, sin_k)
        query, key, value = query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2)""",
            ),
            (
                "cos, sin = self._tables(token_ids.shape[1], x)",
                "cos, sin = self._tables(max(token_ids.shape[1], self.layers[0].num_heads), x)",
            ),
        ),
        says="You turn before heads and sequence change places, so that each head is turned by its number "
        "instead of each token by its position: transpose(1, 2) first.",
    ),
    Mistake(
        "neighbours-with-tables-of-halves",
        find=FORMULA,
        replace=NEIGHBOURS,
        also=((CHUNKED, ""),),
        says="You pair neighbouring features, 2 i and 2 i + 1, but the tables hold the angles as for "
        "halves, so the two of a pair turn by different angles. Pairs are i and i + head_dim / 2 here.",
    ),
    Mistake(
        "halves-with-tables-of-neighbours",
        find=TWICE,
        replace="angles = angles.repeat_interleave(2, dim=-1)",
        says="Your tables hold the angle of each pair in neighbouring columns, but you pair i and i + "
        "head_dim / 2: the two of a pair turn by different angles. Write the angles twice, one half behind "
        "the other.",
    ),
    Mistake(
        "neighbours-turned",
        find=FORMULA,
        replace=NEIGHBOURS,
        also=((CHUNKED, ""), (TWICE, "angles = angles.repeat_interleave(2, dim=-1)")),
        says="You turn neighbouring features, 2 i and 2 i + 1, as Meta's own code does. Here pairs are i "
        "and i + head_dim / 2, as in Hugging Face's; the order of the weights' rows decides which is right.",
    ),
    Mistake(
        "turned-the-other-way",
        find="torch.cat((-second, first), dim=-1)",
        replace="torch.cat((second, -first), dim=-1)",
        says="You turn the other way, by -t. Scores still depend on distances alone, but a key three places "
        "back counts as one three places ahead: (a cos t - b sin t, a sin t + b cos t).",
    ),
    Mistake(
        "query-and-key-turned-against-each-other",
        find=TURNED,
        replace="query, key = _turned(query, cos, sin), _turned(key, cos, -sin)",
        says="You turn queries and keys in opposite directions: scores then depend on the sum of the "
        "positions, not on their distance.",
    ),
    Mistake(
        "half-not-negated",
        find="torch.cat((-second, first), dim=-1)",
        replace="torch.cat((second, first), dim=-1)",
        says="You forget the minus sign of rotate_half: (-second, first). Without it, it is no rotation.",
    ),
    Mistake(
        "frequencies-i-over-dim",
        find="torch.arange(0, self.head_dim, 2, dtype=torch.float32, device=x.device)",
        replace="torch.arange(self.head_dim // 2, dtype=torch.float32, device=x.device)",
        says="Your exponents are i / head_dim. It is 2 i / head_dim: the frequencies run from 1 nearly to 1 "
        "/ base.",
    ),
    Mistake(
        "frequencies-of-hidden-size",
        find=FREQUENCIES,
        replace="frequencies = self.base ** (-pairs / x.shape[-1])",
        says="Your exponents are 2 i / hidden_size. Each head is turned on its own: 2 i / head_dim.",
    ),
    Mistake(
        "frequencies-inverted",
        find=FREQUENCIES,
        replace="frequencies = self.base ** (pairs / self.head_dim)",
        says="Your frequencies grow with the pair, base^(2 i / head_dim). They fall: base^(-2 i / head_dim).",
    ),
    Mistake(
        "base-ignored",
        find="        self.base = base\n",
        replace="        self.base = 10000.0\n",
        says="You take 10,000 whatever base says. It is the default only.",
    ),
    Mistake(
        "tables-kept-for-other-bases",
        find="        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)",
        replace="""\
        tables = _TABLES.setdefault((seq, self.head_dim), (angles.cos(), angles.sin()))
        return tables[0].to(x.dtype), tables[1].to(x.dtype)


_TABLES: dict = {}""",
        says="All your models share the rotary tables of a length and a head_dim, so that one with another "
        "base gets those of the first: base is missing in the key of a cache, for example. Keep tables on "
        "self, or compute them in each call.",
    ),
    Mistake(
        "base-of-llama-3",
        find="base: float = 10000.0,",
        replace="base: float = 500000.0,",
        says="Your base is 500,000 where none is given, as in Llama 3. Here the default is 10,000.",
    ),
    Mistake(
        "positions-on-the-default-device",
        find=POSITIONS,
        replace="torch.arange(seq)[:, None]",
        also=(
            (
                "torch.arange(0, self.head_dim, 2, dtype=torch.float32, device=x.device)",
                "torch.arange(0, self.head_dim, 2, dtype=torch.float32)",
            ),
        ),
        says="You make the tables on the default device, wherever the tokens are: hand over device=….",
    ),
    Mistake(
        "kv-heads-tiled",
        find=REPEATED,
        replace=REPEATED.replace("repeat_interleave(groups, dim=1)", "repeat(1, groups, 1, 1)"),
        says="You tile the key/value heads, 0 1 0 1. Query heads of a group lie side by side: "
        "repeat_interleave, 0 0 1 1.",
    ),
    Mistake(
        "causal-mask-missing",
        find=FUSED,
        replace=FUSED.replace(", is_causal=True", ""),
        says="Your tokens see what comes after them: the causal mask is missing. A model that reads the "
        "answer learns nothing: is_causal=True, or a lower triangular mask.",
    ),
    Mistake(
        "scaled-twice",
        find=FUSED,
        replace=FUSED.replace("(query,", "(query / self.head_dim**0.5,"),
        says="Your scores are divided by head_dim instead of its square root: by the root twice, for "
        "example, since F.scaled_dot_product_attention scales by itself.",
    ),
    Mistake(
        "scale-missing",
        find=FUSED,
        replace=FUSED.replace("is_causal=True", "is_causal=True, scale=1.0"),
        says="You do not divide the scores by sqrt(head_dim). Dot products of head_dim terms grow with its "
        "root.",
    ),
    Mistake(
        "scale-by-hidden-size",
        find=FUSED,
        replace=FUSED.replace("is_causal=True", "is_causal=True, scale=hidden_size**-0.5"),
        says="You scale by 1 / sqrt(hidden_size). A head's dot product has head_dim terms: 1 / "
        "sqrt(head_dim).",
    ),
    shared.heads_merged_without_transpose(),
    shared.heads_merged_interleaved(),
    shared.heads_split_without_transpose(SPLIT),
    shared.heads_split_and_merged_without_transpose(SPLIT),
    shared.heads_interleaved(SPLIT),
    shared.heads_interleaved_and_merged_alike(SPLIT),
    shared.output_projection_forgotten(),
    *large_scores_under_a_causal_mask(f"        context = {FUSED}", dropout_p="0.0"),
    shared.value_from_key(),
    shared.key_and_value_swapped(),
]
