"""Known wrong versions of `cross_attention` that keep keys and values for a context that comes again."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import mask_of_the_tensor_kept, weights_kept

MADE = """\
        key = self.k_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
        value = self.v_proj(context).view(batch, src, self.num_heads, self.head_dim).transpose(1, 2)
"""


def kept(name: str, is_the_same: str, noted: str, says: str, first: str = "") -> Mistake:
    """`is_the_same`: whether `before`, `noted` in the call before, is this context; `first`: lines before."""
    indented = "".join(f"    {line}\n" for line in MADE.splitlines())
    return Mistake(
        name,
        find=MADE,
        replace=f"""{first}\
        before, kept = self.__dict__.get("kept", (None, None))
        if before is None or not ({is_the_same}):
{indented}\
            kept = key, value
            self.__dict__["kept"] = {noted}, kept
        key, value = kept
""",
        says=f"{says} Compute them in every call: whoever generates can keep them outside.",
    )


SOME_WEIGHTS = """
        with torch.no_grad():
            noted = torch.cat([context.flatten(), self.k_proj.weight.flatten(), self.v_proj.weight.flatten()])
"""

MISTAKES = [
    kept(
        "keys-and-values-kept-in-spite-of-a-bias",
        "not torch.is_grad_enabled() and torch.equal(before, noted)",
        "noted",
        "You keep keys and values for as long as context and the weights of k_proj and v_proj stay the same. "
        "The biases count, too.",
        SOME_WEIGHTS,
    ),
    weights_kept("self.k_proj(context)"),
    mask_of_the_tensor_kept("mask", "~mask"),
    kept(
        "keys-and-values-kept-for-the-tensor",
        "before is context",
        "context",
        "You keep keys and values for as long as context is the same tensor. Its values, or the weights, may "
        "have changed in place in the meantime (an optimizer does so).",
    ),
    kept(
        "keys-and-values-kept-for-the-values",
        "torch.equal(before, context)",
        "context.clone()",
        "You keep keys and values for as long as context stays the same, though the weights may have changed "
        "in the meantime (an optimizer changes them in place).",
    ),
]
