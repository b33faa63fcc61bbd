"""Mistakes that several attention topics share: weights of square projections, read as (in, out), and values
taken from another place.
"""

import re

from grader.kit.mistakes import Mistake

_LAYER_CALLED = re.compile(r"self\.(\w+)\((\w+)\)")
_RIGHT = (
    "nn.Linear keeps a weight as (out_features, in_features), and gives x @ weight.T + bias. The other way "
    "round the shapes fit as well, where both sizes are the same. Call the layer, or F.linear, which "
    "transposes."
)


def transposed(which: str, *calls: str) -> Mistake:
    """`which` projections, in words; `calls`: those of their layers, as the solution has them."""
    (find, made), *others = [(call, _transposed(call)) for call in calls]
    several = len(calls) > 1
    words = f"{which} projection{'s' if several else ''}" if which else "projections"
    name = f"{which} projection{'s' if several else ''}-transposed".strip().replace(" ", "-")
    return Mistake(
        name,
        find=find,
        replace=made,
        also=tuple(others),
        says=f"Your {words} use{'' if several else 's'} the transposed weight{'s' if several else ''}: "
        f"x @ weight + bias, for example. {_RIGHT}",
    )


def fused_transposed(which: str = "", *output: str) -> Mistake:
    """The thirds of `qkv_proj`'s weight, each on its own; `output`: the call of `o_proj`, if it is so too."""
    thirds = "self.qkv_proj.weight.unflatten(0, (3, -1)).mT.flatten(0, 1)"
    words = f"{which} projections" if which else "projections"
    return Mistake(
        f"{words.replace(' ', '-')}-transposed",
        find="self.qkv_proj(x)",
        replace=f"nn.functional.linear(x, {thirds}, self.qkv_proj.bias)",
        also=tuple((call, _transposed(call)) for call in output),
        says=f"Your {words} use the transposed weights: you cut qkv_proj's weight into thirds, for example, "
        f"and take x @ third + bias. {_RIGHT}",
    )


def _transposed(call: str) -> str:
    return _LAYER_CALLED.sub(r"(\2 @ self.\1.weight + self.\1.bias)", call)


def value_of_the_querys_own_place(product: str) -> Mistake:
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
