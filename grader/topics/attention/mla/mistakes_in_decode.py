"""Known wrong versions of `mla` in which forward and decode differ, or decode costs too much."""

from grader.kit import Mistake

SCORES = """\
        query_latent = torch.einsum("bhn,hnr->bhr", query_nope, up_key)  # (batch, num_heads, kv_lora_rank)
        scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)"""
CONTEXT = """\
        context_latent = weights @ latent  # (batch, num_heads, kv_lora_rank)
        context = torch.einsum("bhr,hvr->bhv", context_latent, up_value)  # (batch, num_heads, v)"""
EXPANDED = """\
        expanded = self.kv_b_proj(latent).view(batch, seq, self.num_heads, self.nope + self.v)
        key_nope, value = expanded.transpose(1, 2).split([self.nope, self.v], dim=-1)"""
UP = """\
        up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)
        up_key, up_value = up.split([self.nope, self.v], dim=1)"""
SCORES_HEAD_BY_HEAD = """\
        heads = [query_nope[:, i : i + 1] @ (latent @ up_key[i].T).mT for i in range(self.num_heads)]
        scores = torch.cat(heads, dim=1) + query_rope @ rope_key.transpose(1, 2)"""
CONTEXT_HEAD_BY_HEAD = """\
        heads = [weights[:, i : i + 1] @ (latent @ up_value[i].T) for i in range(self.num_heads)]
        context = torch.cat(heads, dim=1)"""
VALUES_EXPANDED = (
    "decode gives the right values, and the key half of kv_b_proj is merged into the query, but you still "
    "make the values of all heads for every cached token. The value half can wait too: average the latents "
    "with the weights first, and send that one vector per head through it."
)
KEYS_EXPANDED = (
    "decode gives the right values, and the value half of kv_b_proj waits for the result, but you still make "
    "the keys of the heads for every cached token, at once or head by head. Since q · (W c) = (Wᵀ q) · c, "
    "send the one query through the key half first, and multiply what comes by the latents."
)

MISTAKES = [
    Mistake(
        "decode-scaled-by-the-latent-size",
        find="scores / math.sqrt(self.nope + self.rope)  # as in forward: the scores are the same numbers",
        replace="scores / math.sqrt(self.kv_lora_rank + self.rope)",
        says="In decode you scale by the width of the absorbed query, kv_lora_rank + rope (what a fused "
        "kernel does by default). Absorbing only moves brackets: the scores are the same numbers as in "
        "forward, so their scale stays 1 / sqrt(nope + rope).",
    ),
    Mistake(
        "latent-normalized-again-in-decode",
        find="        up = self.kv_b_proj.weight",
        replace="        latent = self.kv_a_norm(latent)\n        up = self.kv_b_proj.weight",
        says="decode normalizes the cached latents, which are normalized already: compress did it. While "
        "kv_a_norm's weight is all ones you hardly see that, but a trained weight acts twice. Attend over "
        "the latents as they come.",
    ),
    Mistake(
        "rope-key-turned-again-in-decode",
        find="        up = self.kv_b_proj.weight",
        replace="        rope_key = _turn(rope_key, cos, sin)\n        up = self.kv_b_proj.weight",
        says="decode turns the cached rope keys, by the new token's position. They are cached turned, each "
        "by its own position: only the new query is still to be turned.",
    ),
    Mistake(
        "cached-keys-turned-in-decode",
        find="        rope_key = _turn(rope_key, cos, sin)\n",
        replace="",
        also=(
            (
                "latent, rope_key = self.compress(x, cos, sin)",
                "latent, rope_key = self.compress(x, cos, sin)\n        rope_key = _turn(rope_key, cos, sin)",
            ),
            (
                "        up = self.kv_b_proj.weight",
                "        rope_key = _turn(rope_key, cos, sin)\n        up = self.kv_b_proj.weight",
            ),
        ),
        says="You cache the rope keys unturned and turn them where they are used. In decode cos and sin are "
        "the new token's row, so all keys are turned by the new token's position. compress turns each key "
        "by its own position.",
    ),
    Mistake(
        "decode-expands-the-cache",
        find=SCORES,
        replace="""\
        expanded = self.kv_b_proj(latent).unflatten(-1, (self.num_heads, self.nope + self.v)).transpose(1, 2)
        key_nope, value = expanded.split([self.nope, self.v], dim=-1)
        scores = (query_nope.unsqueeze(2) @ key_nope.transpose(-2, -1)).squeeze(2)
        scores = scores + query_rope @ rope_key.transpose(1, 2)""",
        also=(
            (
                CONTEXT,
                "        context = (weights.unsqueeze(2) @ value).squeeze(2)",
            ),
        ),
        says="decode gives the right values, but it expands the whole cache to the keys and values of all "
        "heads, at every step: that costs more memory than a cache of these would. Since q · (W c) = (Wᵀ q) "
        "· c, send the one query through the key half of kv_b_proj, attend over the latents, and send the "
        "one result through the value half.",
    ),
    Mistake(
        "decode-expands-all-for-the-values",
        find=CONTEXT,
        replace="""\
        expanded = self.kv_b_proj(latent).unflatten(-1, (self.num_heads, self.nope + self.v)).transpose(1, 2)
        context = (weights.unsqueeze(2) @ expanded[..., self.nope :]).squeeze(2)""",
        says=VALUES_EXPANDED,
    ),
    Mistake(
        "decode-expands-the-values",
        find=CONTEXT,
        replace="""\
        value = torch.einsum("bkr,hvr->bhkv", latent, up_value)
        context = (weights.unsqueeze(2) @ value).squeeze(2)""",
        says=VALUES_EXPANDED,
    ),
    Mistake(
        "decode-expands-head-by-head",
        find=SCORES,
        replace=SCORES_HEAD_BY_HEAD,
        also=(
            (
                CONTEXT,
                CONTEXT_HEAD_BY_HEAD,
            ),
        ),
        says="decode gives the right values, but expands the cache to keys and values, one head at a time: "
        "every cached token goes through kv_b_proj at every step. Since q · (W c) = (Wᵀ q) · c, send the "
        "one query through the key half of kv_b_proj, and the one result through the value half.",
    ),
    Mistake(
        "decode-expands-the-keys",
        find=SCORES,
        replace="""\
        key_nope = torch.einsum("bkr,hnr->bhkn", latent, up_key)
        scores = (query_nope.unsqueeze(2) @ key_nope.transpose(-2, -1)).squeeze(2)
        scores = scores + query_rope @ rope_key.transpose(1, 2)""",
        says=KEYS_EXPANDED,
    ),
    Mistake(
        "decode-expands-the-keys-head-by-head",
        find=SCORES,
        replace=SCORES_HEAD_BY_HEAD,
        says=KEYS_EXPANDED,
    ),
    Mistake(
        "decode-expands-the-values-head-by-head",
        find=CONTEXT,
        replace=CONTEXT_HEAD_BY_HEAD,
        says=VALUES_EXPANDED,
    ),
    Mistake(
        "latents-expanded-over-the-heads",
        find="scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)",
        replace="""\
scores = (query_latent.unsqueeze(2) @ latent[:, None].transpose(-2, -1)).squeeze(2)
        scores = scores + query_rope @ rope_key.transpose(1, 2)""",
        says="decode gives the right values, but a product broadcasts the latents over the heads, (batch, "
        "num_heads, 1, rank) by (batch, 1, rank, kv_len) for example: a copy of the cache for every head. "
        "Let the heads be the rows of one matrix, (batch, num_heads, rank) by (batch, rank, kv_len).",
    ),
    Mistake(
        "rope-score-left-out-in-decode",
        find="scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)",
        replace="scores = query_latent @ latent.transpose(1, 2)",
        says="decode's scores have only the nope part, as if there were no rope_key. As in forward, a score "
        "is nope query · nope key + rope query · rope key: absorbing changes how the first term is computed, "
        "the second is added as it is.",
    ),
    Mistake(
        "new-token-appended-twice",
        find="        up = self.kv_b_proj.weight",
        replace="""\
        new_latent, new_rope_key = self.compress(x, cos, sin)
        latent = torch.cat((latent, new_latent), dim=1)
        rope_key = torch.cat((rope_key, new_rope_key), dim=1)
        up = self.kv_b_proj.weight""",
        says="decode appends the new token to the cache, which already includes it, so it is attended to "
        "twice. Here the caller has cached it before: attend over latent and rope_key as they come.",
    ),
    *(
        Mistake(
            f"decode-reads-the-weight-{name}",
            find="self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)",
            replace=f"self.kv_b_proj.weight.{read}",
            says="decode reads the weight of kv_b_proj as if its inputs came before its outputs: you "
            f"reshape it to {shape}, for example. nn.Linear keeps it as (outputs, inputs), so it is "
            "(num_heads, nope + v, kv_lora_rank): a reshape moves no data, and mixes heads and features.",
        )
        for name, read, shape in (
            (
                "as-rank-by-heads",
                "reshape(self.kv_lora_rank, self.num_heads, -1).permute(1, 2, 0)",
                "(kv_lora_rank, num_heads, nope + v)",
            ),
            (
                "as-heads-of-rank-by-features",
                "reshape(self.num_heads, self.kv_lora_rank, -1).transpose(1, 2)",
                "(num_heads, kv_lora_rank, nope + v)",
            ),
        )
    ),
    Mistake(
        "keys-of-all-heads-before-values-in-forward",
        find=EXPANDED,
        replace="""\
        parts = self.kv_b_proj(latent).split([self.num_heads * self.nope, self.num_heads * self.v], dim=-1)
        key_nope, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)""",
        says="forward reads kv_b_proj's output as the keys of all heads and then the values of all heads. It "
        "goes head after head, each [nope key | value], as decode has it: view it as (…, num_heads, nope + "
        "v) first, then split.",
    ),
    Mistake(
        "keys-of-all-heads-before-values-in-decode",
        find=UP,
        replace="""\
        parts = self.kv_b_proj.weight.split([self.num_heads * self.nope, self.num_heads * self.v])
        up_key, up_value = (part.unflatten(0, (self.num_heads, -1)) for part in parts)""",
        says="decode reads the rows of kv_b_proj's weight as the keys of all heads and then the values of "
        "all heads. They go head after head, each [nope key | value], as forward has them: view the weight "
        "as (num_heads, nope + v, kv_lora_rank) first, then split.",
    ),
]
