"""Wrong versions of `linear_attention`: what the running sum goes along, and features that overflow."""

from grader.kit import Mistake

FEATURES = "    query, key = F.elu(query) + 1, F.elu(key) + 1"
CAUSAL_STATE = "torch.cumsum(key.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)"
CAUSAL_TOTAL = "torch.cumsum(key, dim=-2)"


def by_cases(id_: str, feature: str, says: str) -> Mistake:
    """With the feature map written out, as `feature` of x."""
    feature = f"    query, key = ({feature} for x in (query, key))"
    return Mistake(id_, find=FEATURES, replace=feature, says=says)


MISTAKES = [
    *(
        Mistake(
            f"state-summed-along-the-{whose}s-features",
            find=CAUSAL_STATE,
            replace=CAUSAL_STATE.replace("dim=-3", f"dim={dim}"),
            says=f"With is_causal the running sum of your states, key times value, goes along the {whose}'s "
            "features instead of along the text. They have two dimensions behind the text's, which is -3 "
            "there.",
        )
        for whose, dim in (("key", -2), ("value", -1))
    ),
    *(
        Mistake(
            f"running-sums-along-dimension-{id}",
            find=CAUSAL_STATE,
            replace=CAUSAL_STATE.replace("dim=-3", f"dim={dim}"),
            also=((CAUSAL_TOTAL, CAUSAL_TOTAL.replace("dim=-2", f"dim={dim}")),),
            says=f"Your causal running sums go along dimension {id[0]}, counted from the front. That is the "
            f"text's for {right}; with other leading dimensions it is another one. Count from the end: the "
            "text is dimension -2 of the keys, and -3 of their products with the values.",
        )
        for id, dim, right in (
            ("0", "0", "(seq, dim)"),
            ("1", "1", "(batch, seq, dim)"),
            ("1-if-there-are-three", "min(1, key.dim() - 2)", "(batch, seq, dim)"),
            ("2", "2", "(batch, heads, seq, dim)"),
            ("2-if-there-are-four", "min(2, key.dim() - 2)", "(batch, heads, seq, dim)"),
        )
    ),
    by_cases(
        "exp-overflows-in-the-gradient",
        "torch.where(x > 0, x + 1, torch.exp(x))",
        "Where an entry of query or key is large, your gradient is NaN: exp(x) overflows there, and though "
        "torch.where does not take it, its gradient is 0 times infinity. Take exp of x.clamp(max=0), or "
        "F.elu, which does not overflow.",
    ),
    by_cases(
        "exp-overflows-in-the-value",
        "(x > 0) * (x + 1) + (x <= 0) * torch.exp(x)",
        "Where an entry of query or key is large, your result is NaN: exp(x) overflows there, and 0 times "
        "infinity is no number. Choose by torch.where and take exp of x.clamp(max=0), or F.elu, which does "
        "not overflow.",
    ),
]
