"""Known wrong versions of attention in what becomes of the values."""

from grader.kit.mistakes import Mistake


def of_the_querys_own_place(product: str) -> Mistake:
    """Every query gets its own token's value, times the sum of its weights."""
    return Mistake(
        "value-of-the-querys-own-place",
        find=product,
        replace=product.replace("weights @", "weights.sum(dim=-1, keepdim=True) *"),
        says="Your queries get the value of their own place, times the sum of their weights: the einsum of "
        'weights and values has the letter of the queries in both, for example ("bhqk,bqd->bqhd"), and then '
        "sums the weights alone over the keys. Weights and values meet at the keys: each key's value times "
        "the weight for it.",
    )
