"""Known wrong versions of `mla` whose decode leaves out a part of the cache, or keeps too much."""

from grader.kit import Mistake

UP = """\
        up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)
        up_key, up_value = up.split([self.nope, self.v], dim=1)"""

MISTAKES = [
    *(
        Mistake(
            f"merged-matrices-kept{id}",
            find=UP,
            replace=f"""\
        kept = self.__dict__.get("merged") if {when} else None
        if kept is None:
            up = self.kv_b_proj.weight.view(self.num_heads, self.nope + self.v, self.kv_lora_rank)
            kept = up.detach().clone()
            if {when}:
                self.__dict__["merged"] = kept
        up_key, up_value = kept.split([self.nope, self.v], dim=1)""",
            says=f"decode keeps what it makes of kv_b_proj's weight{words}, and goes on with that when the "
            "weight has changed: by a step of an optimizer or by load_state_dict, for example. Then it no "
            "longer gives the last row of forward. Take the weight as it is in each call: a view costs "
            "nothing.",
        )
        for id, when, words in (
            ("", "True", ""),
            ("-in-evaluation", "not self.training", " in evaluation"),
            ("-without-gradients", "not torch.is_grad_enabled()", " under torch.no_grad()"),
        )
    ),
    *(
        Mistake(
            f"rest-of-the-cache-left-out-{block}",
            find=UP,
            replace=f"""\
        whole = latent.shape[1] - latent.shape[1] % min({block}, latent.shape[1])
        latent, rope_key = latent[:, :whole], rope_key[:, :whole]
{UP}""",
            says="decode goes over the cache in blocks, and over whole ones only: the last tokens, the new "
            "one among them, are left out where they do not fill a block. The last block may be shorter: "
            "round the number of blocks up.",
        )
        for block in (2, 4, 8, 16, 64, 128)  # 32 leaves as many out as 64
    ),
    *(
        Mistake(
            f"{id}-detached-in-compress",
            find="        return latent, rope_key\n",
            replace=f"        return {returned}\n",
            says=f"No gradients run through {what} compress gives (detached there, for example), and "
            "forward needs them. A graph that a cache must not hold is left out where the cache is filled.",
        )
        for id, returned, what in (
            ("rope-key", "latent, rope_key.detach()", "the rope key that"),
            ("latent", "latent.detach(), rope_key", "the latent that"),
            ("cache", "latent.detach(), rope_key.detach()", "what"),
        )
    ),
    Mistake(
        "query-squeezed",
        find="part.squeeze(2) for part",
        replace="part.squeeze() for part",
        says="In decode you take every dimension of size 1 out of the query (squeeze() without a dimension, "
        "for example), with a batch of one that of the batch too. Only that of the one token is to go: "
        "squeeze(2) here.",
    ),
    Mistake(
        "latent-normalized-again-in-forward",
        find="expanded = self.kv_b_proj(latent)",
        replace="expanded = self.kv_b_proj(self.kv_a_norm(latent))",
        says="forward normalizes the latent twice: compress gives it normalized, and forward does it once "
        "more. That shows as soon as the norm's weight is not 1. Normalize each token once, in compress.",
    ),
]
