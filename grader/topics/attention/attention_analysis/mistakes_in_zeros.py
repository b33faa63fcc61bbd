"""Known wrong versions of `attention_analysis` in what weights of 0 add, and whether they count."""

from grader.kit import Mistake

ENTROPY = "    entropy = -torch.xlogy(weights, weights).sum(dim=-1)  # (heads, q_len)"
MEAN = "    return entropy.mean(dim=-1)"
RECEIVED = "    return weights.mean(dim=0).sum(dim=0)"
SHARE = "    return weights.diagonal(dim1=-2, dim2=-1).mean(dim=0)"

MISTAKES = [
    *(
        Mistake(
            id,
            find=ENTROPY,
            replace="    entropy = -(weights * weights.log()).sum(dim=-1)",
            also=((MEAN, f"    return {mean}"),),
            says=f"{what} A weight of 0 adds 0 to its query's entropy, and the other weights of that query "
            "count: torch.xlogy, or a logarithm of clamped weights, then the mean over all queries.",
        )
        for id, mean, what in (
            (
                "queries-with-a-zero-left-out",
                "entropy.nanmean(dim=-1).nan_to_num(0.0)",
                "You leave queries with a weight of 0 out of the mean: 0 * log(0) is NaN, for example, and "
                "nanmean passes over it.",
            ),
            (
                "queries-with-a-zero-left-out-and-nan-without-others",
                "entropy.nanmean(dim=-1)",
                "You leave queries with a weight of 0 out of the mean, and where there are no others it is "
                "NaN: 0 * log(0) is NaN, for example, and nanmean passes over it.",
            ),
            (
                "queries-with-a-zero-count-as-zero",
                "entropy.nan_to_num(0.0).mean(dim=-1)",
                "Every query with a weight of 0 counts with an entropy of 0: 0 * log(0) is NaN, for example, "
                "and you replace that only when the query's terms are added up.",
            ),
            (
                "heads-with-a-zero-come-out-as-zero",
                "entropy.mean(dim=-1).nan_to_num(0.0)",
                "A head with a weight of 0 anywhere has an entropy of 0: 0 * log(0) is NaN, for example, and "
                "you replace that only when all is added up.",
            ),
        )
    ),
    *(
        Mistake(
            f"weights-of-at-least-{least}",
            find=ENTROPY,
            replace=f"""\
    raised = weights.clamp(min={least})
    entropy = -(raised * raised.log()).sum(dim=-1)""",
            says=f"You count a weight of 0 as {least} in both factors of w ln(w), so masked keys add enough "
            "to be seen in the result. A weight of 0 adds 0: torch.xlogy, or weights * "
            "weights.clamp(min=1e-12).log(), whose first factor stays 0.",
        )
        for least in ("1e-4", "1e-5", "1e-6", "1e-7")
    ),
    *(
        Mistake(
            f"epsilon-of-{epsilon}-in-both-factors",
            find=ENTROPY,
            replace=f"""\
    raised = weights + {epsilon}
    entropy = -(raised * raised.log()).sum(dim=-1)""",
            says=f"You add {epsilon} to the weights in both factors of w ln(w), which is large enough to be "
            "seen in the result. Treat only 0 in a special way (torch.xlogy), or add something as small as "
            "1e-12, inside the logarithm alone.",
        )
        for epsilon in ("1e-4", "1e-5", "1e-6", "1e-7")
    ),
    *(
        Mistake(
            f"uniform-weights-of-{share}-mixed-in{where}",
            find=ENTROPY,
            replace=f"""\
    mixed = (1 - {share}) * weights + {share} / weights.shape[-1]
    entropy = -({factor} * mixed.log()).sum(dim=-1)""",
            says=f"You mix {share} of uniform weights into each query's weights{only} (to keep log(0) away, "
            "for example), and that is large enough to be seen in the result. Treat only 0 in a special way "
            "(torch.xlogy), or add something as small as 1e-12, inside the logarithm alone.",
        )
        for where, factor, only, shares in (
            ("", "mixed", "", ("1e-2", "1e-3", "1e-4", "1e-5", "1e-6")),
            ("-inside-the-logarithm", "weights", " inside the logarithm", ("1e-2", "1e-3", "1e-4", "1e-5")),
        )
        for share in shares
    ),
    *(
        Mistake(
            f"{name}-{least}-and-divided-by-their-sum",
            find=ENTROPY,
            replace=f"""\
    raised = {raised.format(least)}
    raised = raised / raised.sum(dim=-1, keepdim=True)
    entropy = -(raised * raised.log()).sum(dim=-1)""",
            says=f"You {what.format(least)} and divide them by their new sum, so masked keys add enough to "
            "be seen in the result. A weight of 0 adds 0: torch.xlogy, or weights * "
            "weights.clamp(min=1e-12).log(), whose first factor stays as it is.",
        )
        for name, raised, what in (
            ("weights-plus", "weights + {}", "add {} to the weights"),
            ("weights-of-at-least", "weights.clamp(min={})", "raise the weights to at least {}"),
        )
        for least in ("1e-3", "1e-4", "1e-5", "1e-6", "1e-7")
    ),
    Mistake(
        "received-of-those-that-read",
        find=RECEIVED,
        replace="""\
    readers = (weights > 0).sum(dim=1).clamp(min=1)
    return (weights.sum(dim=1) / readers).mean(dim=0) * weights.shape[1]""",
        says="You average over the queries whose weight for the key is not 0, and multiply by q_len, so a "
        "key that few may read seems to receive more. It receives the sum over all queries, to which a "
        "weight of 0 adds 0: all keys together receive q_len.",
    ),
    Mistake(
        "received-as-a-mean-of-those-that-read",
        find=RECEIVED,
        replace="""\
    readers = (weights > 0).sum(dim=1).clamp(min=1)
    return (weights.sum(dim=1) / readers).mean(dim=0)""",
        says="You average over the queries whose weight for the key is not 0. What a key receives is the sum "
        "over all queries: all keys together receive q_len.",
    ),
    *(
        Mistake(
            f"{name}-without-the-gradients-of-zeros",
            find=find,
            replace=f"    weights = weights.masked_fill(weights == 0, 0.0)\n{find}",
            says=f"Your values are right, but no gradient of {function} reaches weights of exactly 0: where "
            "there is a 0 you take a constant (torch.where, masked_fill), or leave it out of the sum. The "
            "result is a sum of weights, and one that is 0 now changes it as much as any other.",
        )
        for name, function, find in (
            ("received", "attention_received", RECEIVED),
            ("share", "self_attention_share", SHARE),
        )
    ),
]
