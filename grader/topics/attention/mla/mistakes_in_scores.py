"""Known wrong versions of `mla`: how scores are scaled and masked, and what the norms add."""

from dataclasses import replace

from grader.kit import Mistake
from grader.kit.families.attention.mistakes import (
    causal_mistakes,
    floor_mistakes,
    mask_mistakes,
    score_mistakes,
    unmasked_mistakes,
)

IN_FORWARD = "scores / math.sqrt(self.nope + self.rope)  # the dot product has nope + rope terms"
IN_DECODE = "scores / math.sqrt(self.nope + self.rope)  # as in forward: the scores are the same numbers"
SUM = "scores = query_nope @ key_nope.transpose(-2, -1) + rope_scores"
SUM_IN_DECODE = "scores = query_latent @ latent.transpose(1, 2) + query_rope @ rope_key.transpose(1, 2)"
SOFTMAX = "        weights = torch.softmax(scores, dim=-1)"
EXPONENTIALS = """\
        exps = torch.exp(scores)
        weights = exps / exps.sum(dim=-1, keepdim=True)"""
EXPONENTIALS_IN_DECODE = (f"{SOFTMAX}  # (batch, num_heads, kv_len)", EXPONENTIALS)
QUERY_NORM = "self.q_a_norm = nn.RMSNorm(q_lora_rank, eps=1e-6)"
LATENT_NORM = "self.kv_a_norm = nn.RMSNorm(kv_lora_rank, eps=1e-6)"
TURN = "return x * cos + torch.cat((-second, first), dim=-1) * sin"


MISTAKES = [
    Mistake(
        "scale-missing",
        find=IN_FORWARD,
        replace="scores",
        also=((IN_DECODE, "scores"),),
        says="You do not scale the scores. Divide them by sqrt(nope + rope): a dot product of as many terms "
        "has that standard deviation, and unscaled the softmax saturates.",
    ),
    Mistake(
        "scale-missing-in-decode",
        find=IN_DECODE,
        replace="scores",
        says="decode does not scale its scores. They are the same numbers as in forward: divide them by "
        "sqrt(nope + rope), too.",
    ),
    Mistake(
        "decode-scaled-by-the-rank",
        find=IN_DECODE,
        replace="scores / math.sqrt(self.kv_lora_rank)",
        says="In decode you scale by sqrt(kv_lora_rank), the size of the merged query. Merging only moves "
        "brackets: the scores are the same numbers as in forward, so divide by sqrt(nope + rope).",
    ),
    Mistake(
        "decode-scaled-by-the-nope-size",
        find=IN_DECODE,
        replace="scores / math.sqrt(self.nope)",
        says="In decode you scale by sqrt(nope), in forward by sqrt(nope + rope). The scores are the same "
        "numbers: scale them alike.",
    ),
    Mistake(
        "scale-multiplied",
        find=IN_FORWARD,
        replace="scores * math.sqrt(self.nope + self.rope)",
        also=((IN_DECODE, "scores * math.sqrt(self.nope + self.rope)"),),
        says="You multiply the scores by sqrt(nope + rope), which makes the softmax nearly one-hot. Divide "
        "by it.",
    ),
    Mistake(
        "scale-without-root",
        find=IN_FORWARD,
        replace="scores / (self.nope + self.rope)",
        also=((IN_DECODE, "scores / (self.nope + self.rope)"),),
        says="You divide the scores by nope + rope instead of its square root. The standard deviation of a "
        "dot product grows with the root, so your weights are too uniform.",
    ),
    Mistake(
        "scale-by-the-value-size",
        find=IN_FORWARD,
        replace="scores / math.sqrt(self.v)",
        also=((IN_DECODE, "scores / math.sqrt(self.v)"),),
        says="You scale by sqrt(v), the size of a value. A score is a dot product of [nope | rope] features: "
        "divide by sqrt(nope + rope).",
    ),
    Mistake(
        "rope-scores-not-scaled",
        find=SUM,
        replace="scores = query_nope @ key_nope.transpose(-2, -1)",
        also=(
            (IN_FORWARD, "scores / math.sqrt(self.nope + self.rope) + rope_scores"),
            (SUM_IN_DECODE, "scores = query_latent @ latent.transpose(1, 2)"),
            (
                IN_DECODE,
                "scores / math.sqrt(self.nope + self.rope) + query_rope @ rope_key.transpose(1, 2)",
            ),
        ),
        says="You scale the nope part of the scores only and add the rope part as it is. Both are parts of "
        "one dot product: add them first, then divide by sqrt(nope + rope).",
    ),
    Mistake(
        "parts-scaled-apart",
        find=SUM,
        replace="scores = query_nope @ key_nope.transpose(-2, -1) / math.sqrt(self.nope)",
        also=(
            (IN_FORWARD, "scores + rope_scores / math.sqrt(self.rope)"),
            (SUM_IN_DECODE, "scores = query_latent @ latent.transpose(1, 2) / math.sqrt(self.nope)"),
            (IN_DECODE, "scores + query_rope @ rope_key.transpose(1, 2) / math.sqrt(self.rope)"),
        ),
        says="You divide each part of the scores by the root of its own size. They are parts of one dot "
        "product: divide their sum by sqrt(nope + rope).",
    ),
    Mistake(
        "rope-scores-left-out",
        find=SUM,
        replace="scores = query_nope @ key_nope.transpose(-2, -1)",
        also=((SUM_IN_DECODE, "scores = query_latent @ latent.transpose(1, 2)"),),
        says="Your scores have only the nope part, so nothing tells positions. A score is nope query · nope "
        "key + rope query · rope key.",
    ),
    Mistake(
        "softmax-over-queries",
        find="weights = torch.softmax(scores, dim=-1)\n        context = ",
        replace="weights = torch.softmax(scores, dim=-2)\n        context = ",
        says="The softmax in forward runs over the queries, so every column sums to 1. Each query shares out "
        "its weight among the keys: softmax over the last dimension of (batch, num_heads, seq, seq).",
    ),
    Mistake(
        "softmax-over-the-heads-in-decode",
        find="weights = torch.softmax(scores, dim=-1)  # (batch, num_heads, kv_len)",
        replace="weights = torch.softmax(scores, dim=1)",
        says="The softmax in decode runs over the heads: scores are (batch, num_heads, kv_len) there. Each "
        "head shares out its weight among the keys, which are the last dimension.",
    ),
    *mask_mistakes.inverted_in_place(),
    mask_mistakes.added(),
    mask_mistakes.ignored(),
    mask_mistakes.fills_zero(),
    *(
        replace(each, id=f"{each.id}{name}", replace=each.replace.replace("-100.0", number))
        for each in (mask_mistakes.fill_not_low_enough(), mask_mistakes.added_number_not_low_enough())
        for name, number in {"": "-100.0", "-1000": "-1000.0"}.items()
    ),
    mask_mistakes.after_softmax(),
    mask_mistakes.after_softmax_renormalised(),
    mask_mistakes.after_softmax_renormalised_to_zeros(),
    replace(
        score_mistakes.max_not_subtracted(),
        find=f"{SOFTMAX}\n        context = ",
        replace=f"{EXPONENTIALS}\n        context = ",
        also=(EXPONENTIALS_IN_DECODE,),
    ),
    replace(
        score_mistakes.max_not_subtracted(),
        id="max-not-subtracted-in-decode",
        find=EXPONENTIALS_IN_DECODE[0],
        replace=EXPONENTIALS_IN_DECODE[1],
        says="In decode you write the softmax out without subtracting the maximum: exp overflows above 88.7 "
        "in float32 and 709 in float64, and inf / inf is NaN; far below it every exponential is 0, and 0 / 0 "
        "is NaN. Subtract each row's largest score first, or use torch.softmax, as in forward.",
    ),
    *(
        replace(
            score_mistakes.MAXIMUM_NOT_BELOW_ZERO,
            id=name,
            find=edits[0][0],
            replace=edits[0][1],
            also=edits[1:],
        )
        for floored in [score_mistakes.MAXIMUM_NOT_BELOW_ZERO.replace]
        for in_forward in [(f"{SOFTMAX}\n        context = ", f"{floored}\n        context = ")]
        for in_decode in [(EXPONENTIALS_IN_DECODE[0], floored)]
        for name, edits in (
            ("maximum-not-below-zero", (in_forward, in_decode)),
            ("maximum-not-below-zero-in-forward", (in_forward,)),
            ("maximum-not-below-zero-in-decode", (in_decode,)),
        )
    ),
    mask_mistakes.as_a_condition(),
    mask_mistakes.OF_THE_FIRST_HEAD,
    # Norms and rotation
    Mistake(
        "eps-left-at-its-default-for-the-query",
        find=QUERY_NORM,
        replace="self.q_a_norm = nn.RMSNorm(q_lora_rank)",
        says="Your q_a_norm has no eps of its own: that of nn.RMSNorm is then torch.finfo(dtype).eps. Here "
        "it is 1e-6, as in kv_a_norm.",
    ),
    Mistake(
        "eps-left-at-its-default-for-the-latent",
        find=LATENT_NORM,
        replace="self.kv_a_norm = nn.RMSNorm(kv_lora_rank)",
        says="Your kv_a_norm has no eps of its own: that of nn.RMSNorm is then torch.finfo(dtype).eps. Here "
        "it is 1e-6, as in q_a_norm.",
    ),
    *(
        Mistake(
            f"eps-of-{eps}",
            find=QUERY_NORM,
            replace=QUERY_NORM.replace("1e-6", eps),
            also=((LATENT_NORM, LATENT_NORM.replace("1e-6", eps)),),
            says=f"The eps of your norms is {eps}. Here it is 1e-6, in both.",
        )
        for eps in ("1e-5", "1e-8")
    ),
    Mistake(
        "query-normalized-after-its-projection",
        find="        query = self.q_b_proj(compressed)",
        replace="        query = self.q_b_proj(compressed)\n"
        "        query = query * torch.rsqrt(query.square().mean(-1, keepdim=True) + 1e-6)\n"
        "        query = query",
        says="You normalize the queries once more behind q_b_proj. Only what q_a_proj gives is normalized.",
    ),
    Mistake(
        "layer-norms",
        find=QUERY_NORM,
        replace="self.q_a_norm = nn.LayerNorm(q_lora_rank, eps=1e-6, bias=False)",
        also=((LATENT_NORM, "self.kv_a_norm = nn.LayerNorm(kv_lora_rank, eps=1e-6, bias=False)"),),
        says="Your norms are layer norms, which take the mean away. Both are RMS norms.",
    ),
    Mistake(
        "cos-and-sin-exchanged",
        find=TURN,
        replace="return x * sin + torch.cat((-second, first), dim=-1) * cos",
        says="You exchange cos and sin: x is multiplied by sin, what is turned by 90 degrees by cos. It is "
        "the other way round.",
    ),
    Mistake(
        "turned-half-without-its-sign",
        find=TURN,
        replace="return x * cos + torch.cat((second, first), dim=-1) * sin",
        says="You swap the halves without a sign, which is no rotation. The half turned by 90 degrees is "
        "(-second, first).",
    ),
    Mistake(
        "heads-of-decode-interleaved",
        find="return self.o_proj(context.flatten(1)).unsqueeze(1)",
        replace="return self.o_proj(context.transpose(1, 2).flatten(1)).unsqueeze(1)",
        says="decode gives o_proj the heads' results feature by feature, all heads of the first feature and "
        "so on. They stand side by side: head after head.",
    ),
    causal_mistakes.WITHOUT_A_MASK,
    causal_mistakes.ALWAYS[1],  # the other is forward-always-causal
    *floor_mistakes.after_softmax_renormalised(
        "0 for NaN", "at least 1e-12", "plus 1e-9", "plus 1e-8", "plus 1e-6"
    ),
    unmasked_mistakes.max_not_subtracted(behind="\n        context = weights @ value"),
    unmasked_mistakes.no_gradient(behind="\n        context = weights @ value"),
]
