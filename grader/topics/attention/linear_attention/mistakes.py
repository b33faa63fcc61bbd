"""Known wrong versions of `linear_attention`."""

import re

from grader.kit import Mistake

FEATURES = "    query, key = F.elu(query) + 1, F.elu(key) + 1"
NUMERATOR = "        numerator = (query.unsqueeze(-2) @ state).squeeze(-2)  # (..., seq, dim)"
CAUSAL_TOTAL = "        total = torch.cumsum(key, dim=-2)  # (..., seq, dim)"
CAUSAL_STATE = "torch.cumsum(key.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)"
STATE = "        state = key.transpose(-2, -1) @ value  # (..., dim, dim)"
TOTAL = "        total = key.sum(dim=-2, keepdim=True)  # (..., 1, dim)"
FULL = "        numerator = query @ state  # (..., seq, dim)"
DENOMINATOR = "    denominator = (query * total).sum(dim=-1, keepdim=True)  # (..., seq, 1)"
RESULT = "    return numerator / (denominator + eps)"


def other_features(id_: str, feature: str, says: str) -> Mistake:
    """With another feature map, `feature` of x."""
    query, key = (re.sub(r"\bx\b", name, feature) for name in ("query", "key"))
    return Mistake(id_, find=FEATURES, replace=f"    query, key = {query}, {key}", says=says)


MISTAKES = [
    other_features(
        "elu-without-one",
        "F.elu(x)",
        "Your features are elu(x), which is negative for x < 0: weights can be negative, and their sum 0. "
        "The map is elu(x) + 1, always above 0.",
    ),
    other_features(
        "relu-for-elu",
        "F.relu(x)",
        "Your feature map is relu, which is 0 for half of all inputs and has no gradient there. Asked for is "
        "elu(x) + 1.",
    ),
    other_features(
        "relu-plus-one",
        "F.relu(x) + 1",
        "Your features are relu(x) + 1, which is 1 for every x < 0 and has no gradient there. Asked for is "
        "elu(x) + 1.",
    ),
    other_features(
        "exp-for-elu",
        "torch.exp(x)",
        "Your feature map is exp. Asked for is elu(x) + 1: exp(x) below 0, but x + 1 above.",
    ),
    other_features(
        "softmax-features",
        "torch.softmax(x, -1)",
        "Your feature map is a softmax over the features. Asked for is elu(x) + 1, feature by feature.",
    ),
    other_features(
        "no-feature-map",
        "x * 1.0",
        "You use query and key as they are: their dot products can be negative, and their sum 0. Map both "
        "with elu(x) + 1 first.",
    ),
    other_features(
        "gradient-0-at-0",
        "F.relu(x) + torch.exp(-F.relu(-x))",
        "Your values are right, but the gradient of your feature map at 0 is 0: relu, of which it is made, "
        "has none there. That of elu is 1.",
    ),
    other_features(
        "gradient-2-at-0",
        "x.clamp(min=0) + torch.exp(x.clamp(max=0))",
        "Your values are right, but the gradient of your feature map at 0 is 2: both clamps, of which it is "
        "made, pass it on there. That of elu is 1.",
    ),
    Mistake(
        "written-to",
        find=FEATURES,
        replace="""\
    query = F.elu(query, inplace=not query.requires_grad) + 1
    key = F.elu(key, inplace=not key.requires_grad) + 1""",
        says="You compute the features in place, in the caller's query and key. Make new tensors: without "
        "inplace=True, and without methods that end in an underscore.",
    ),
    Mistake(
        "four-dimensions-alone",
        find=FEATURES,
        replace=f"    batch, heads, seq, dim = query.shape\n{FEATURES}",
        says="You take four dimensions, (batch, heads, seq, dim). There may be any number of leading ones, "
        "or none: count from the end, query.shape[-2:], and write einsum with an ellipsis.",
    ),
    Mistake(
        "row-by-row",
        find=FEATURES,
        replace=f"""\
{FEATURES}
    rows = []
    for i in range(query.shape[-2]):
        seen = i + 1 if is_causal else key.shape[-2]
        weights = (query[..., i : i + 1, :] * key[..., :seen, :]).sum(dim=-1, keepdim=True)
        rows.append((weights * value[..., :seen, :]).sum(dim=-2) / (weights.sum(dim=-2) + eps))
    return torch.stack(rows, dim=-2)""",
        says="Your values are right, but every query goes over all keys: seq times seq weights, one row "
        "after the other, and autograd keeps them all. Sum up keys and values first: a query then reads that "
        "sum.",
    ),
    Mistake(
        "query-not-mapped",
        find=FEATURES,
        replace="    key = F.elu(key) + 1",
        says="You map the keys only. Both query and key go through elu(x) + 1, so that every weight is "
        "positive.",
    ),
    Mistake(
        "key-not-mapped",
        find=FEATURES,
        replace="    query = F.elu(query) + 1",
        says="You map the queries only. Both query and key go through elu(x) + 1, so that every weight is "
        "positive.",
    ),
    Mistake(
        "value-mapped-too",
        find=FEATURES,
        replace=f"{FEATURES}\n    value = F.elu(value) + 1",
        says="You map the values as well. The result is a mean of the values as they came; only what makes "
        "the weights is mapped, query and key.",
    ),
    Mistake(
        "scores-scaled",
        find=FEATURES,
        replace="    query, key = F.elu(query / query.shape[-1] ** 0.5) + 1, F.elu(key) + 1",
        says="You scale the queries by 1 / sqrt(dim). Linear attention has no softmax that could saturate, "
        "and no scale.",
    ),
    Mistake(
        "not-normalized",
        find=RESULT,
        replace="    return numerator",
        says="You do not divide by the sum of the weights, so the result grows with the length. Divide by "
        "f(q) . sum f(k) + eps.",
    ),
    Mistake(
        "eps-left-out",
        find=RESULT,
        replace="    return numerator / denominator",
        says="You leave out eps. It is added to the denominator, which can be nearly 0 where all features "
        "are small.",
    ),
    Mistake(
        "causal-eps-left-out",
        find=RESULT,
        replace="    return numerator / (denominator + (0 if is_causal else eps))",
        says="With is_causal you leave eps out. It is added to the denominator in both cases.",
    ),
    Mistake(
        "eps-of-its-own",
        find=RESULT,
        replace="    return numerator / (denominator + 1e-6)",
        says="You add 1e-6 whatever eps is. Add eps.",
    ),
    Mistake(
        "eps-as-a-bound",
        find=RESULT,
        replace="    return numerator / denominator.clamp(min=eps)",
        says="You take eps for the least that the denominator may be. It is added to it.",
    ),
    Mistake(
        "eps-for-every-key",
        find=FEATURES,
        replace="    query, key = F.elu(query) + 1 + eps, F.elu(key) + 1 + eps",
        also=((RESULT, "    return numerator / denominator"),),
        says="You add eps to the features. It is added once, to the denominator.",
    ),
    Mistake(
        "eps-default",
        find="eps: float = 1e-6",
        replace="eps: float = 1e-8",
        says="Your default for eps is another one. It is 1e-6.",
    ),
    Mistake(
        "eps-on-both-sides",
        find=RESULT,
        replace="    return (numerator + eps) / (denominator + eps)",
        says="You add eps to the numerator too. It belongs into the denominator only.",
    ),
    Mistake(
        "causal-ignored",
        find="    if is_causal:",
        replace="    if False:",
        says="You ignore is_causal: every token sees the later ones. Then both sums go over the keys up to "
        "the query's own.",
    ),
    Mistake(
        "causal-without-the-own-key",
        find=CAUSAL_STATE,
        replace=f"({CAUSAL_STATE} - key.unsqueeze(-1) * value.unsqueeze(-2))",
        also=(("torch.cumsum(key, dim=-2)", "(torch.cumsum(key, dim=-2) - key)"),),
        says="Your causal sums stop before the query's own key, so the first token gets nothing. They go "
        "over the keys j <= i: add a token before you read.",
    ),
    Mistake(
        "causal-denominator-over-all",
        find=CAUSAL_TOTAL,
        replace="        total = key.sum(dim=-2, keepdim=True)",
        says="With is_causal you sum the values over the past, but divide by the sum of all weights, the "
        "future's too. Both sums go over the keys j <= i.",
    ),
    Mistake(
        "causal-numerator-over-all",
        find=NUMERATOR,
        replace="        numerator = query @ (key.transpose(-2, -1) @ value)",
        says="With is_causal you divide by the past's weights, but sum the values of the future, too. Both "
        "sums go over the keys j <= i.",
    ),
    Mistake(
        "causal-backwards",
        find=CAUSAL_STATE,
        replace="torch.cumsum((key.unsqueeze(-1) * value.unsqueeze(-2)).flip(-3), dim=-3).flip(-3)",
        also=(("torch.cumsum(key, dim=-2)", "torch.cumsum(key.flip(-2), dim=-2).flip(-2)"),),
        says="Your causal sums run from the end: every token sees the future instead of the past. They go "
        "over the keys j <= i.",
    ),
    Mistake(
        "causal-state-is-a-mean",
        find=NUMERATOR,
        replace="        seen = torch.arange(1, key.shape[-2] + 1, device=key.device)\n"
        f"        state = state / seen[:, None, None]\n{NUMERATOR}",
        says="You average the state over the tokens seen so far, and the denominator only sums. Both are "
        "sums: the division comes once, at the end.",
    ),
    Mistake(
        "sum-over-features",
        find=DENOMINATOR,
        replace="    denominator = query.sum(dim=-1, keepdim=True) * total.sum(dim=-1, keepdim=True)",
        says="Your denominator is the product of two sums over features. It is a dot product: multiply the "
        "query's features with the summed key features one by one, then sum.",
    ),
    Mistake(
        "keys-normalized-instead",
        find=FEATURES,
        replace=f"{FEATURES}\n    key = key / (key.sum(dim=-2, keepdim=True) + eps)",
        also=((RESULT, "    return numerator"),),
        says="You normalize each feature of the keys over the sequence (as efficient attention does with a "
        "softmax). Here each query's weights are normalized: divide by f(q) . sum f(k) + eps.",
    ),
    Mistake(
        "state-transposed",
        find=STATE,
        replace="        state = value.transpose(-2, -1) @ key",
        says="Your state is value^T key. Rows have to be features of the key, columns those of the value: "
        "key^T value, so that query @ state gives values.",
    ),
    Mistake(
        "causal-state-transposed",
        find=CAUSAL_STATE,
        replace="torch.cumsum(value.unsqueeze(-1) * key.unsqueeze(-2), dim=-3)",
        says="With is_causal your state is value^T key. Rows have to be features of the key, columns those "
        "of the value, so that query @ state gives values.",
    ),
    Mistake(
        "mean-for-a-sum",
        find="key.sum(dim=-2, keepdim=True)",
        replace="key.mean(dim=-2, keepdim=True)",
        says="Your denominator takes the mean of the keys' features, so the result is seq times too large. "
        "It is their sum.",
    ),
    Mistake(
        "order-of-the-quadratic-form",
        find=FULL,
        replace="        numerator = (query @ key.transpose(-2, -1)) @ value",
        says="You multiply queries with keys first: a seq x seq matrix, which linear attention exists to "
        "avoid. Products can be taken in another order: query @ (key^T value).",
    ),
    Mistake(
        "causal-by-a-mask",
        find=NUMERATOR,
        replace="        numerator = (query @ key.transpose(-2, -1)).tril() @ value",
        says="With is_causal you make all seq x seq weights and mask them. That is quadratic: keep a running "
        "sum of the outer products of keys and values.",
    ),
    Mistake(
        "softmax-attention",
        find=FEATURES,
        replace="    return F.scaled_dot_product_attention(query, key, value, is_causal=is_causal)",
        says="That is ordinary attention with a softmax. Here the weights are f(q) . f(k) with "
        "f(x) = elu(x) + 1.",
    ),
]
