"""Known wrong versions of `rms_norm` that multiply by the weight too early, or lose dimensions of size 1."""

from grader.kit import Mistake

WIDE = "        wide = x.to(torch.promote_types(x.dtype, torch.float32))"
WEIGHTED = f"{WIDE}\n        wide = self.weight * wide"
RIGHT = (
    "The mean square is that of x alone, and the weight comes once, behind it: the next layer is to see the "
    "scales that were learned."
)

MISTAKES = [
    Mistake(
        "weight-left-out-while-it-is-one",
        find="        return (self.weight * normalized).to(x.dtype)",
        replace="""\
        weight = self.weight.detach() if bool((self.weight == 1).all()) else self.weight
        return (weight * normalized).to(x.dtype)""",
        says="While all weights are 1, as they are at first, they get no gradient: you leave the "
        "multiplication out, which changes no value. Training would never move them. Do it always.",
    ),
    Mistake(
        "weight-before-the-mean-square",
        find=WIDE,
        replace=WEIGHTED,
        also=(("(self.weight * normalized)", "normalized"),),
        says="You divide by the root mean square of weight * x: you multiply by the weight first and "
        f"normalize the product, for example, so a weight of 2 everywhere changes next to nothing. {RIGHT}",
    ),
    Mistake(
        "weight-before-and-behind",
        find=WIDE,
        replace=WEIGHTED,
        says="You multiply by the weight twice, before you normalize and behind it, so it is squared and the "
        f"mean square is that of weight * x. {RIGHT}",
    ),
    Mistake(
        "divided-by-the-mean-square-of-what-is-weighted",
        find="wide.square().mean(dim=-1, keepdim=True)",
        replace="(self.weight * wide).square().mean(dim=-1, keepdim=True)",
        also=(("(self.weight * normalized)", "normalized"),),
        says="You divide x by the root mean square of weight * x, and multiply by the weight nowhere else. "
        f"{RIGHT}",
    ),
    Mistake(
        "result-squeezed",
        find="(self.weight * normalized).to(x.dtype)",
        replace="(self.weight * normalized).to(x.dtype).squeeze()",
        says="Your result loses every dimension of size 1 (squeeze() without a dimension, for example). One "
        "text, or one token, is a size like any other: the result has the shape of x.",
    ),
]
