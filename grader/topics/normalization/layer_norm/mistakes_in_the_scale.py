"""Known wrong versions of `layer_norm` that scale too early, or lose dimensions of size 1."""

from grader.kit import Mistake

MEAN = "        mean = x.mean(dim=-1, keepdim=True)\n"
RESULT = "        return self.weight * normalized + self.bias"
RIGHT = (
    "Mean and variance are those of x alone, and weight and bias come behind: the next layer is to see the "
    "scales that were learned."
)

MISTAKES = [
    Mistake(
        "weight-before-the-statistics",
        find=MEAN,
        replace="        x = self.weight * x\n" + MEAN,
        also=((RESULT, "        return normalized + self.bias"),),
        says="You normalize weight * x and add the bias: you multiply by the weight first, for example, so "
        f"a weight of 2 everywhere changes next to nothing. {RIGHT}",
    ),
    Mistake(
        "weight-and-bias-before-the-statistics",
        find=MEAN,
        replace="        x = self.weight * x + self.bias\n" + MEAN,
        also=((RESULT, "        return normalized"),),
        says="You normalize weight * x + bias: scale and shift come first, for example, so that every vector "
        f"of your result has the mean 0 and a variance of about 1. {RIGHT}",
    ),
    Mistake(
        "result-squeezed",
        find=RESULT,
        replace="        return (self.weight * normalized + self.bias).squeeze()",
        says="Your result loses every dimension of size 1 (squeeze() without a dimension, for example). One "
        "text, or one token, is a size like any other: the result has the shape of x.",
    ),
    Mistake(
        "worked-in-place-without-gradients",
        find="        return self.weight * normalized + self.bias",
        replace="""\
        if not torch.is_grad_enabled():
            root = torch.sqrt(variance + self.eps)
            return x.sub_(mean).div_(root).mul_(self.weight).add_(self.bias)
        return self.weight * normalized + self.bias""",
        says="Without gradients you work in place on the caller's tensor, and give it back as the result: x "
        "is overwritten (in a transformer: the residual). Make new tensors, with gradients and without.",
    ),
]
