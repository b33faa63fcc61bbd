"""Known wrong versions of `attention_analysis`: one head for all, or another mean than that of entropies."""

from grader.kit import Mistake

MEAN = "    return entropy.mean(dim=-1)"
RECEIVED = "    return weights.mean(dim=0).sum(dim=0)"
SHARE = "    return weights.diagonal(dim1=-2, dim2=-1).mean(dim=0)"

MISTAKES = [
    *(
        Mistake(
            f"{name}-of-the-{which}-head",
            find=find,
            replace=f"    weights = weights[{head}]\n{find}",
            says=f"{function} gives what the {which} head alone would give: it is added up again in place of "
            "each other one, for example, before you divide. Every head counts once in the mean.",
        )
        for name, function, find in (
            ("received", "attention_received", RECEIVED),
            ("share", "self_attention_share", SHARE),
        )
        for which, head in (("first", ":1"), ("last", "-1:"))
    ),
    *(
        Mistake(
            f"{name}-without-the-first-{of}",
            find=find,
            replace=f"    {what} = {what}[{place}1:] if {what}.shape[{dim}] > 1 else {what}\n{find}",
            says=f"{function} leaves the first {of} out where there are several: a running mean in which "
            "(new - mean) is divided by i and not by i + 1, for example, forgets it in its first step. With "
            f"places from 0 on, {of} i is number i + 1. Every {of} counts once in the mean.",
        )
        for name, function, find, what, of, place, dim in (
            ("received", "attention_received", RECEIVED, "weights", "head", "", 0),
            ("share", "self_attention_share", SHARE, "weights", "head", "", 0),
            ("entropy", "attention_entropy", MEAN, "entropy", "query", ":, ", 1),
        )
    ),
    *(
        Mistake(
            id,
            find=MEAN,
            replace=f"    return {result}",
            says=f"{what} Asked for is the plain mean of the queries' entropies, in nats.",
        )
        for id, result, what in (
            (
                "logarithm-of-the-mean-number-of-keys",
                "entropy.exp().mean(dim=-1).log()",
                "You average exp(entropy), the effective number of keys, over the queries and take the "
                "logarithm of that. It is more than the mean of the entropies unless all are alike: flat "
                "queries count for more than sharp ones.",
            ),
            (
                "mean-number-of-keys",
                "entropy.exp().mean(dim=-1)",
                "You return the mean of exp(entropy), the effective number of keys: 1 where each query reads "
                "one.",
            ),
            (
                "exponential-of-the-entropy",
                "entropy.mean(dim=-1).exp()",
                "You return exp of the mean entropy (a perplexity): 1 where each query reads one key.",
            ),
        )
    ),
]
