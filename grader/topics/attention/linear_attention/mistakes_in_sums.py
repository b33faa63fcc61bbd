"""Wrong versions of `linear_attention`: sums that go along, or are normalized by, something else."""

from grader.kit import Mistake

FEATURES = "    query, key = F.elu(query) + 1, F.elu(key) + 1"
CAUSAL_STATE = "torch.cumsum(key.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)"
CAUSAL_TOTAL = "torch.cumsum(key, dim=-2)"
NUMERATOR = "        numerator = (query.unsqueeze(-2) @ state).squeeze(-2)  # (..., seq, dim)"
FULL = "        numerator = query @ state  # (..., seq, dim)"
RESULT = "    return numerator / (denominator + eps)"


def by_cases(id_: str, feature: str, says: str) -> Mistake:
    """With the feature map written out, as `feature` of x."""
    feature = f"    query, key = ({feature} for x in (query, key))"
    return Mistake(id_, find=FEATURES, replace=feature, says=says)


MISTAKES = [
    *(
        Mistake(
            f"relu-plus-one-of-the-{name}",
            find=FEATURES,
            replace=f"    query, key = {features}",
            says=f"Your features of the {name} are relu(x) + 1, which is 1 for every x < 0 and has no "
            "gradient there. Query and key have the same map, elu(x) + 1.",
        )
        for name, features in (
            ("query", "F.relu(query) + 1, F.elu(key) + 1"),
            ("key", "F.elu(query) + 1, F.relu(key) + 1"),
        )
    ),
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
    by_cases(
        "gradient-half-at-0",
        "F.relu(x) + torch.exp(torch.minimum(x, torch.zeros_like(x)))",
        "Your values are right, but the gradient of your feature map at 0 is 0.5: where both are equal, "
        "torch.minimum and torch.maximum give half of it to each, for example. That of elu is 1.",
    ),
    by_cases(
        "gradient-one-and-a-half-at-0",
        "torch.maximum(x, torch.zeros_like(x)) + torch.exp(x.clamp(max=0))",
        "Your values are right, but the gradient of your feature map at 0 is 1.5: clamp passes all of it on "
        "there, and torch.maximum and torch.minimum half of it, for example. That of elu is 1.",
    ),
    *(
        Mistake(
            f"eps-added-to-the-summed-keys{ending}",
            find=RESULT,
            replace=f"    total = total + ({added})\n"
            "    denominator = (query * total).sum(dim=-1, keepdim=True)\n"
            f"    return numerator / (denominator + ({rest}))",
            says=f"You add eps to the sum of the keys' features{when}, before its dot product with the "
            "query's, so that it is multiplied by the sum of f(q). It is added to the denominator, behind "
            "the dot product: where f(q) is near 0 it is to keep that above 0.",
        )
        for ending, added, rest, when in (
            ("", "eps", "0", ""),
            ("-when-causal", "eps if is_causal else 0", "0 if is_causal else eps", " with is_causal"),
            ("-when-not-causal", "0 if is_causal else eps", "eps if is_causal else 0", " without is_causal"),
        )
    ),
    *(
        Mistake(
            f"features-normalized-one-by-one{ending}",
            find=NUMERATOR,
            replace=f"        state = state / (total.unsqueeze(-1) + eps)\n{NUMERATOR}",
            also=(
                (FULL, f"        state = state / (total.transpose(-2, -1) + eps)\n{FULL}"),
                (RESULT, result),
            ),
            says="You divide each feature's sum of values by the sum of that feature over the keys"
            f"{query}. Features are not normalized one by one: the sum over all of them, "
            "f(q) . f(k), is a weight, and its sum over the keys is what is divided by, once.",
        )
        for ending, result, query in (
            (
                "-and-of-the-query",
                "    return numerator / (query.sum(dim=-1, keepdim=True) + eps)",
                ", and the query's features by their own sum",
            ),
            ("", "    return numerator", ""),
        )
    ),
    *(
        Mistake(
            f"keys-divided-by-their-maximum{ending}",
            find=FEATURES,
            replace=f"{FEATURES}\n    key = key / key.detach().amax({which})",
            says="You divide the keys' features by their maximum, or by another number of their size. It "
            "cancels out of the mean, but not beside eps: where the features are small, eps counts for more "
            "than in your answer. Leave them as they are.",
        )
        for ending, which in (("", "dim=(-2, -1), keepdim=True"), ("-of-all", ""))
    ),
    Mistake(
        "all-pairs-of-short-texts",
        find="    if is_causal:\n        # What",
        replace="""\
    if query.shape[-2] <= 128:
        weights = query @ key.transpose(-2, -1)
        weights = weights.tril() if is_causal else weights
        return weights @ value / (weights.sum(dim=-1, keepdim=True) + eps)
    if is_causal:
        # What""",
        says="For shorter texts, of up to 128 tokens for example, you compute the weights of all pairs. From "
        "64 tokens on no tensor of seq times seq is to be there: sum up keys and values first.",
    ),
]
