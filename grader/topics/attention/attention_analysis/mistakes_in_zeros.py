"""Known wrong versions of `attention_analysis` in what weights of 0 add, and whether they count."""

from grader.kit import Mistake

ENTROPY = "    entropy = -torch.xlogy(weights, weights).sum(dim=-1)  # (heads, q_len)"
RECEIVED = "    return weights.mean(dim=0).sum(dim=0)"

MISTAKES = [
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
]
