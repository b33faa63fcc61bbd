"""Known wrong versions of `mla` whose decode treats the two parts of a score differently, or both as one."""

from grader.kit import Mistake

SCORES = "scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)"
ROOT = "math.sqrt(self.nope + self.rope)"

MISTAKES = [
    *(
        Mistake(
            f"{part}-scores-not-scaled-in-decode",
            find=SCORES,
            replace=f"""\
scores = query_latent @ latent.transpose(1, 2){" * " + ROOT if part == "nope" else ""}
        scores = scores + query_rope @ rope_key.transpose(1, 2){" * " + ROOT if part == "rope" else ""}""",
            says=f"decode does not scale the {part} part of its scores (the factor stands before the sum "
            "and takes hold of the other part alone, for example, as alpha does in torch.baddbmm). A score "
            "is one dot product of nope + rope terms: divide the whole sum by sqrt(nope + rope), as "
            "forward does.",
        )
        for part in ("nope", "rope")
    ),
    Mistake(
        "latents-and-rope-keys-expanded-over-the-heads",
        find=SCORES,
        replace="""\
both = torch.cat((query_latent, query_rope), dim=-1).unsqueeze(2)
        rows = torch.cat((latent, rope_key), dim=-1)[:, None]
        scores = (both @ rows.transpose(-2, -1)).squeeze(2)""",
        says="decode gives the right values, but [latent | rope key] is expanded over the heads: by "
        "expand, by the built-in attention (enable_gqa=True, too) or by a product that broadcasts, (batch, "
        "num_heads, 1, n) by (batch, 1, n, kv_len). Let the heads be the rows of one matrix, (batch, "
        "num_heads, n) by (batch, n, kv_len), or the queries of one head.",
    ),
]
