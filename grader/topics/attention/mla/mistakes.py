"""Known wrong versions of `mla`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.attention.mistakes import mask_mistakes

VALUES_EXPANDED = (
    "decode gives the right values, and the key half of kv_b_proj is merged into the query, but you still "
    "make the values of all heads for every cached token. The value half can wait too: average the latents "
    "with the weights first, and send that one vector per head through it."
)


MISTAKES = [
    Mistake(
        "scale-by-the-nope-size",
        find="scores / math.sqrt(self.nope + self.rope)  # the dot product has nope + rope terms",
        replace="scores / math.sqrt(self.nope)",
        also=(
            (
                "scores / math.sqrt(self.nope + self.rope)  # as in forward: the scores are the same numbers",
                "scores / math.sqrt(self.nope)",
            ),
        ),
        says="You scale the scores by 1 / sqrt(qk_nope_head_dim). A query is [nope | rope] and its dot "
        "product with a key has nope + rope terms, so divide by sqrt(qk_nope_head_dim + qk_rope_head_dim).",
    ),
    Mistake(
        "latent-cached-before-its-norm",
        find="""\
        latent = self.kv_a_norm(latent)
        rope_key""",
        replace="        rope_key",
        also=(
            ("expanded = self.kv_b_proj(latent)", "expanded = self.kv_b_proj(self.kv_a_norm(latent))"),
            (
                "        up = self.kv_b_proj.weight",
                "        latent = self.kv_a_norm(latent)\n        up = self.kv_b_proj.weight",
            ),
        ),
        says="You cache the latent as it is and normalize it where it is used, so decode would normalize "
        "the whole cache again at every step. compress gives the normalized latent, and decode takes it as "
        "it is: normalize each token once.",
    ),
    Mistake(
        "latent-norm-forgotten",
        find="""\
        latent = self.kv_a_norm(latent)
        rope_key""",
        replace="        rope_key",
        says="You never apply kv_a_norm. The latent is normalized between kv_a_proj and kv_b_proj, in "
        "compress, so that forward and the cache both hold the normalized one.",
    ),
    Mistake(
        "norm-over-latent-and-rope-key",
        find="latent, rope_key = self.kv_a_proj(x).split([self.kv_lora_rank, self.rope], dim=-1)\n"
        "        latent = self.kv_a_norm(latent)",
        replace="""\
down = self.kv_a_proj(x)
        down = down * torch.rsqrt(down.pow(2).mean(-1, keepdim=True) + 1e-6)
        latent, rope_key = down.split([self.kv_lora_rank, self.rope], dim=-1)
        latent = latent * self.kv_a_norm.weight""",
        says="You normalize latent and rope key together, by the root mean square of all kv_lora_rank + rope "
        "features. Split kv_a_proj's output first: kv_a_norm is over the latent alone, and the rope key is "
        "not normalized at all.",
    ),
    Mistake(
        "query-norm-forgotten",
        find="self.q_a_norm(self.q_a_proj(x))",
        replace="self.q_a_proj(x)",
        says="You never apply q_a_norm. The compressed query is normalized between q_a_proj and q_b_proj, "
        "as the latent is.",
    ),
    Mistake(
        "rope-key-per-head",
        find="self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + self.rope, bias=False)",
        replace="self.kv_a_proj = nn.Linear(hidden_size, kv_lora_rank + num_heads * self.rope, bias=False)",
        also=(
            (
                "split([self.kv_lora_rank, self.rope], dim=-1)",
                "split([self.kv_lora_rank, self.num_heads * self.rope], dim=-1)",
            ),
            (
                "rope_key = _turn(rope_key, cos, sin)",
                "rope_key = _turn(rope_key.unflatten(-1, (self.num_heads, -1)).transpose(1, 2), cos, sin)",
            ),
            ("rope_key[:, None].transpose(-2, -1)", "rope_key.transpose(-2, -1)"),
            (
                "query_rope @ rope_key.transpose(1, 2)",
                "(query_rope[:, :, None] @ rope_key.transpose(-2, -1)).squeeze(2)",
            ),
        ),
        says="You give every head a rope key of its own. There is one per token, shared by all heads (as in "
        "multi-query attention): kv_a_proj maps to kv_lora_rank + rope, and the cache holds no more than "
        "that. Only the queries have a rope part per head.",
    ),
    Mistake(
        "query-rope-not-turned",
        find="        return query_nope, _turn(query_rope, cos, sin)",
        replace="        return query_nope, query_rope",
        says="You turn the rope key but not the rope part of the query. The score depends on the distance "
        "of two tokens only when both are turned, each by its own position.",
    ),
    Mistake(
        "rope-key-not-turned",
        find="        rope_key = _turn(rope_key, cos, sin)\n",
        replace="",
        says="You do not turn the rope key. compress turns it by its token's position before it is cached: "
        "the position never changes, so once is enough.",
    ),
    Mistake(
        "value-before-key",
        find="key_nope, value = expanded.transpose(1, 2).split([self.nope, self.v], dim=-1)",
        replace="value, key_nope = expanded.transpose(1, 2).split([self.v, self.nope], dim=-1)",
        also=(
            (
                "up_key, up_value = up.split([self.nope, self.v], dim=1)",
                "up_value, up_key = up.split([self.v, self.nope], dim=1)",
            ),
        ),
        says="You read each head of kv_b_proj's output as [value | nope key]. The key comes first: of each "
        "head's nope + v features the first nope are the key, the other v the value.",
    ),
    Mistake(
        "keys-of-all-heads-before-values",
        find="""\
        expanded = self.kv_b_proj(latent).view(batch, seq, self.num_heads, self.nope + self.v)
        key_nope, value = expanded.transpose(1, 2).split([self.nope, self.v], dim=-1)""",
        replace="""\
        parts = self.kv_b_proj(latent).split([self.num_heads * self.nope, self.num_heads * self.v], dim=-1)
        key_nope, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)""",
        also=(
            (
                """\
        up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)
        up_key, up_value = up.split([self.nope, self.v], dim=1)""",
                """\
        parts = self.kv_b_proj.weight.split([self.num_heads * self.nope, self.num_heads * self.v])
        up_key, up_value = (part.unflatten(0, (self.num_heads, -1)) for part in parts)""",
            ),
        ),
        says="You read kv_b_proj's output as the keys of all heads and then the values of all heads. It "
        "goes head after head, each [nope key | value]: view it as (…, num_heads, nope + v) first, then "
        "split.",
    ),
    Mistake(
        "query-rope-before-nope",
        find="query_nope, query_rope = query.transpose(1, 2).split([self.nope, self.rope], dim=-1)",
        replace="query_rope, query_nope = query.transpose(1, 2).split([self.rope, self.nope], dim=-1)",
        says="You read each head of q_b_proj's output as [rope query | nope query]. The nope part comes "
        "first.",
    ),
    Mistake(
        "rope-key-before-latent",
        find="latent, rope_key = self.kv_a_proj(x).split([self.kv_lora_rank, self.rope], dim=-1)",
        replace="rope_key, latent = self.kv_a_proj(x).split([self.rope, self.kv_lora_rank], dim=-1)",
        says="You read kv_a_proj's output as [rope key | latent]. The latent comes first: kv_lora_rank "
        "features, and then rope features of the key.",
    ),
    Mistake(
        "neighbours-turned",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin""",
        replace="""\
    cos, sin = cos.chunk(2, dim=-1)[0], sin.chunk(2, dim=-1)[0]
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1).flatten(-2)""",
        says="You turn neighbouring features (0, 1), (2, 3), … as DeepSeek's own code does. Here pair i is "
        "feature i and feature i + rope / 2.",
    ),
    Mistake(
        "turned-backwards",
        find="torch.cat((-second, first), dim=-1)",
        replace="torch.cat((second, -first), dim=-1)",
        says="You turn by the negative angle: scores still depend on the distance, but the rope keys in the "
        "cache are others. Pair (a, b) becomes (a cos t - b sin t, a sin t + b cos t): the half turned by "
        "90 degrees is (-second, first).",
    ),
    Mistake(
        "heads-merged-without-transpose",
        find="context.transpose(1, 2).flatten(2)",
        replace="context.reshape(batch, seq, -1)",
        says="You merge the heads without moving them back behind the sequence, so one head's results for "
        "several tokens end up in one row. transpose(1, 2) first, then merge (num_heads, v).",
    ),
    Mistake(
        "forward-always-causal",
        find="        if mask is not None:",
        replace="""\
        scores = scores + torch.full_like(scores, -math.inf).triu(1)
        if mask is not None:""",
        says="Your forward masks later tokens by itself. It attends to all tokens that the mask allows, and "
        "to all of them without a mask: whoever wants it causal passes a causal mask.",
    ),
    Mistake(
        "mask-inverted",
        find="scores.masked_fill(~mask, -math.inf)",
        replace="scores.masked_fill(mask, -math.inf)",
        says="You read the mask the wrong way round: you drop the keys that may be attended to. True means "
        '"may be attended to" here, so fill where the mask is False.',
    ),
    Mistake(
        "eps-left-at-its-default",
        find="self.q_a_norm = nn.RMSNorm(q_lora_rank, eps=1e-6)",
        replace="self.q_a_norm = nn.RMSNorm(q_lora_rank)",
        also=(
            (
                "self.kv_a_norm = nn.RMSNorm(kv_lora_rank, eps=1e-6)",
                "self.kv_a_norm = nn.RMSNorm(kv_lora_rank)",
            ),
        ),
        says="Your norms have no eps of their own: that of nn.RMSNorm is then torch.finfo(dtype).eps. Here "
        "it is 1e-6, in both.",
    ),
    Mistake(
        "biases-not-left-out",
        find="self.o_proj = nn.Linear(num_heads * self.v, hidden_size, bias=False)",
        replace="self.o_proj = nn.Linear(num_heads * self.v, hidden_size)",
        says="Your o_proj has a bias. None of the projections has one here: pass bias=False. (In front of "
        "decode's absorption a bias of kv_b_proj would even be in the way.)",
    ),
    instance_mistakes.kept_on_the_class("        self.num_heads = num_heads\n", "the number of heads"),
    mask_mistakes.repeated_heads_first(),
    mask_mistakes.zero_scores_masked(),
    Mistake(
        "rotary-pairs-put-in-halves",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin""",
        replace="""\
    first, second = x[..., 0::2], x[..., 1::2]
    x = torch.cat((first, second), dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin""",
        says="You turn neighbouring features, (0, 1), (2, 3), …, and put the results in halves. Here pair "
        "i is feature i and feature i + half, and both stay in their places.",
    ),
    Mistake(
        "rotary-every-two-with-tables-of-halves",
        find="""\
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin""",
        replace="""\
    turned = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)
    return x * cos + turned * sin""",
        says="You pair neighbouring features as rotate_every_two does, with tables that repeat the angles in "
        "halves: the two of a pair get different angles. Here pair i is feature i and feature i + half: "
        "rotate_half.",
    ),
]
