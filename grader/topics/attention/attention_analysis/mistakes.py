"""Known wrong versions of `attention_analysis`."""

from grader.kit import Mistake

ENTROPY = "    entropy = -torch.xlogy(weights, weights).sum(dim=-1)  # (heads, q_len)"
MEAN = "    return entropy.mean(dim=-1)"
RECEIVED = "    return weights.mean(dim=0).sum(dim=0)"
SHARE = "    return weights.diagonal(dim1=-2, dim2=-1).mean(dim=0)"


def of_entropy(id_: str, replace: str, says: str, mean: str | None = None) -> Mistake:
    """With another line for the entropies (and for their mean)."""
    also = () if mean is None else ((MEAN, f"    return {mean}"),)
    return Mistake(id_, find=ENTROPY, replace=f"    entropy = {replace}", also=also, says=says)


def of_result(id_: str, replace: str, says: str) -> Mistake:
    """With another result of attention_entropy."""
    return Mistake(id_, find=MEAN, replace=f"    return {replace}", says=says)


def of_received(id_: str, replace: str, says: str) -> Mistake:
    return Mistake(id_, find=RECEIVED, replace=f"    return {replace}", says=says)


def of_share(id_: str, replace: str, says: str) -> Mistake:
    return Mistake(id_, find=SHARE, replace=f"    return {replace}", says=says)


SUMS = (
    ("attention_entropy", "entropy", of_result, "weights.shape[0]", "entropy.mean(dim=-1)"),
    ("attention_received", "received", of_received, "weights.shape[-1]", "weights.mean(dim=0).sum(dim=0)"),
    ("self_attention_share", "share", of_share, "weights.shape[-1]", SHARE.removeprefix("    return ")),
)
ZEROS = (
    (
        "",
        "",
        "gives float32 for float64 weights, and mixes them with a tensor on the default device: "
        "torch.zeros(...) to add up in, for example, takes the default of both",
    ),
    (
        "-dtype",
        ", device=weights.device",
        "gives float32 for float64 weights: you cast them, for example, or add up in zeros of the default "
        "dtype",
    ),
    (
        "-device",
        ", dtype=weights.dtype",
        "makes a tensor on the default device (zeros to add up in, for example), and the weights may be on "
        "another one",
    ),
)

MISTAKES = [
    of_entropy(
        "logarithm-of-zero",
        "-(weights * weights.log()).sum(dim=-1)",
        "You multiply 0 with log(0) = -inf, which is NaN: masked keys spoil the head. 0 log 0 counts as 0: "
        "torch.xlogy, or a logarithm of clamped weights.",
    ),
    *(
        of_entropy(
            f"epsilon-of-{epsilon}",
            f"-(weights * (weights + {epsilon}).log()).sum(dim=-1)",
            f"You add {epsilon} to the weights before the logarithm, which is large enough to be seen in the "
            "result. Treat 0 alone as special (torch.xlogy), or add something as small as 1e-12.",
        )
        for epsilon in ("1e-3", "1e-4", "1e-5", "1e-6")
    ),
    of_entropy(
        "entropy-in-bits",
        "-torch.xlogy(weights, weights).sum(dim=-1) / torch.log(torch.full((), 2.0, dtype=weights.dtype))",
        "Your entropy is in bits (log2). Asked for are nats: the natural logarithm.",
    ),
    of_entropy(
        "entropy-negative",
        "torch.xlogy(weights, weights).sum(dim=-1)",
        "Your entropy is negative: the logarithm of a weight is at most 0, so the minus sign in front is "
        "missing.",
    ),
    of_entropy(
        "entropy-divided-by-its-maximum",
        "-torch.xlogy(weights, weights).sum(dim=-1) / weights.new_tensor(weights.shape[-1]).log()",
        "You divide by ln(kv_len), so the entropy lies between 0 and 1. Asked for is the entropy itself.",
    ),
    of_entropy(
        "entropy-along-the-queries",
        "-torch.xlogy(weights, weights).sum(dim=-2)",
        "You divide by the number of keys (by summing over the queries and averaging over the keys, for "
        "example). A query's weights are a row: sum over the last dimension, then average over the queries.",
    ),
    of_entropy(
        "mean-over-the-keys",
        "-torch.xlogy(weights, weights).mean(dim=-1)",
        "You average w ln w over the keys. Entropy is a sum over them; the mean is over the queries.",
    ),
    Mistake(
        "sum-over-the-queries",
        find=MEAN,
        replace="    return entropy.sum(dim=-1)",
        says="You sum the entropies of a head's queries, so it grows with the text. Average them.",
    ),
    Mistake(
        "entropy-of-every-query",
        find=MEAN,
        replace="    return entropy",
        says="You return an entropy for each query. Average over the queries: one number for each head.",
    ),
    Mistake(
        "entropy-of-all-heads",
        find=MEAN,
        replace="    return entropy.mean()",
        says="You average over the heads as well. Heads differ, and that is what is asked: one number for "
        "each.",
    ),
    Mistake(
        "sharp-queries-left-out",
        find=MEAN,
        replace="    return entropy.sum(dim=-1) / (entropy > 0).sum(dim=-1).clamp(min=1)",
        says="You leave queries whose entropy is 0 out of the mean, as if they were padding. They read one "
        "key alone, as the first token does under a causal mask, and count like all others: divide by q_len.",
    ),
    Mistake(
        "sharp-queries-left-out-and-nan-without-others",
        find=MEAN,
        replace="    return entropy.sum(dim=-1) / (entropy > 0).sum(dim=-1)",
        says="You average over the queries whose entropy is above 0, and where there is none that is 0 / 0, "
        "NaN. A query that reads one key alone counts like all others: divide by q_len.",
    ),
    of_entropy(
        "entropy-of-the-mean-weights",
        "-torch.xlogy(weights.mean(dim=1), weights.mean(dim=1)).sum(dim=-1)",
        "You average the weights over the queries first, and take the entropy of that. A head whose queries "
        "each read one other key would look flat: take the entropy of each row, then the mean.",
        mean="entropy",
    ),
    of_entropy(
        "softmax-once-more",
        "torch.special.entr(torch.softmax(weights, dim=-1)).sum(dim=-1)",
        "You take a softmax of the weights, which makes them nearly uniform. They are weights already, and "
        "sum to 1.",
    ),
    of_entropy(
        "weights-written-to",
        "-(weights * weights.masked_fill_(weights == 0, 1.0).log()).sum(dim=-1)",
        "You replace the zeros in the caller's weights. Work on a copy: masked_fill without the underscore, "
        "or torch.xlogy.",
    ),
    of_received(
        "received-as-a-mean",
        "weights.mean(dim=0).mean(dim=0)",
        "You average over the queries (or divide by their number). What a key receives is the sum: all keys "
        "together receive q_len.",
    ),
    of_received(
        "received-of-all-heads",
        "weights.sum(dim=0).sum(dim=0)",
        "You sum over the heads. Asked for is the mean over them: how many there are does not count.",
    ),
    of_received(
        "received-by-head",
        "weights.sum(dim=1)",
        "You return what each key receives in each head. Average over the heads.",
    ),
    of_received(
        "given-for-received",
        "weights.mean(dim=0).sum(dim=1)",
        "You sum each query's weights, which gives 1 for all of them. What a key receives is its column: sum "
        "over the queries.",
    ),
    of_received(
        "largest-received",
        "weights.mean(dim=0).amax(dim=0)",
        "You take the largest weight that a query gives to each key. It is the sum over the queries.",
    ),
    of_share(
        "diagonal-of-heads-and-queries",
        "weights.diagonal().mean(dim=0)",
        "torch.diagonal takes the first two dimensions, heads and queries, unless you say which. That of "
        "queries and keys is dim1=-2, dim2=-1.",
    ),
    of_share(
        "mean-over-a-diagonal-of-heads",
        "weights.diagonal().mean(dim=-1)",
        "torch.diagonal takes the first two dimensions, heads and queries, unless you say which, and puts "
        "the diagonal last. That of queries and keys is dim1=-2, dim2=-1; its mean is over dimension 0, the "
        "heads.",
    ),
    of_share(
        "identity-on-the-default-device",
        "(weights * torch.eye(weights.shape[-1], dtype=weights.dtype)).sum(dim=-1).mean(dim=0)",
        "You make a tensor on the default device (an identity matrix or positions, for example), and the "
        "weights may be on another one. Pass device=weights.device, or take Tensor.diagonal.",
    ),
    of_share(
        "share-detached",
        SHARE.removeprefix("    return ").replace("weights", "weights.detach()"),
        "Your shares are right, but no gradient reaches the weights (detach, .data and no_grad all cut it "
        "off).",
    ),
    of_received(
        "received-detached",
        RECEIVED.removeprefix("    return ").replace("weights", "weights.detach()"),
        "What your keys receive is right, but no gradient reaches the weights (detach, .data and no_grad all "
        "cut it off).",
    ),
    *(
        Mistake(
            f"{name}-added-up-in-the-weights",
            find=find,
            replace=f"""\
    total = {first}
    for head in weights[1:]:
        total += {of_head}
    return total{summed} / len(weights)""",
            says="You add up in the caller's weights: weights[0], for example, is a view of them and no "
            "copy, and += writes to it. Make a new tensor: total = total + head, or a mean over the heads.",
        )
        for name, find, first, of_head, summed in (
            ("received", RECEIVED, "weights[0]", "head", ".sum(dim=0)"),
            ("share", SHARE, "weights[0].diagonal()", "head.diagonal()", ""),
        )
    ),
    of_share(
        "share-of-all-heads",
        "weights.diagonal(dim1=-2, dim2=-1).sum(dim=0)",
        "You sum over the heads, so a share can be larger than 1. Average over them.",
    ),
    of_share(
        "share-by-head",
        "weights.diagonal(dim1=-2, dim2=-1)",
        "You return the diagonal of each head. Average over the heads.",
    ),
    of_share(
        "one-share-for-all",
        "weights.diagonal(dim1=-2, dim2=-1).mean(dim=1)",
        "You average over the tokens, which leaves a number for each head. Average over the heads: a number "
        "for each token.",
    ),
    of_share(
        "share-of-what-is-received",
        "weights.diagonal(dim1=-2, dim2=-1).mean(dim=0) / weights.mean(dim=0).sum(dim=0)",
        "You divide by what each token receives. The share is of its own query's weights, which sum to 1: "
        "take the diagonal as it is.",
    ),
    of_share(
        "diagonal-from-the-other-corner",
        "weights.flip(-1).diagonal(dim1=-2, dim2=-1).mean(dim=0)",
        "Your diagonal runs from the other corner: the first token and the last one. Token i reads itself at "
        "row i, column i.",
    ),
    of_share(
        "share-of-the-largest-head",
        "weights.diagonal(dim1=-2, dim2=-1).amax(dim=0)",
        "You take the head in which a token reads itself the most. It is the mean over the heads.",
    ),
    *(
        of_function(
            f"{name}-in-zeros-of-the-default{suffix}",
            f"torch.zeros({size}{options}).add_({value})",
            f"{function} {wrong}. Its result has the dtype and the device of the weights: "
            "weights.new_zeros(...), or no zeros at all.",
        )
        for function, name, of_function, size, value in SUMS
        for suffix, options, wrong in ZEROS
        if name + suffix != "share-device"  # it is identity-on-the-default-device
    ),
    *(
        of_function(
            f"{name}-filled-in-on-the-default-device",
            f"[out := torch.zeros({size}, dtype=weights.dtype), "
            f"[out[i].copy_(one) for i, one in enumerate({value})]][0]",
            f"{function} puts its numbers, one by one, into a tensor made on the default device, and "
            "the weights may be on another one. Take weights.new_zeros(...), or torch.stack the numbers.",
        )
        for function, name, of_function, size, value in SUMS
    ),
]
