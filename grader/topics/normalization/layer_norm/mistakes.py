"""Known wrong versions of `layer_norm`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

MISTAKES = [
    Mistake(
        "eps-outside-the-root",
        find="        normalized = centered / torch.sqrt(variance + self.eps)",
        replace="        normalized = centered / (torch.sqrt(variance) + self.eps)",
        says="You add eps to the standard deviation. It belongs to the variance, inside the root: "
        "sqrt(variance + eps). Outside, a variance of 0 gives the root an infinite derivative and the"
        " gradient is NaN.",
    ),
    Mistake(
        "variance-unbiased",
        find="        variance = centered.square().mean(dim=-1, keepdim=True)",
        replace="        variance = x.var(dim=-1, keepdim=True)",
        says="You divide the sum of squares by hidden_size - 1: torch.var and torch.std do unless told "
        "correction=0. Layer norm uses the biased variance, divided by hidden_size (with a single "
        "feature yours is 0 / 0).",
    ),
    Mistake(
        "variance-by-difference-of-moments",
        find="        variance = centered.square().mean(dim=-1, keepdim=True)",
        replace="        variance = x.square().mean(dim=-1, keepdim=True) - mean.square()",
        says="You take the variance as E[x²] - E[x]². With a mean of 1e3 both are near 1e6, float32 keeps "
        "seven digits of each, and the difference loses most of its digits (and may be negative). "
        "Subtract the mean first, then average the squares.",
    ),
    Mistake(
        "variance-without-root",
        find="        normalized = centered / torch.sqrt(variance + self.eps)",
        replace="        normalized = centered / (variance + self.eps)",
        says="You divide by the variance. Divide by its root, the standard deviation: only then is the "
        "variance of the result 1.",
    ),
    Mistake(
        "statistics-over-the-batch",
        find="""\
        mean = x.mean(dim=-1, keepdim=True)
        centered = x - mean
        # E[x²] - E[x]² would subtract two numbers near 1e6 if the mean is 1e3; float32 keeps seven digits of
        # each, so little of a variance of 1 is left.
        variance = centered.square().mean(dim=-1, keepdim=True)""",
        replace="""\
        mean = x.mean(dim=0, keepdim=True)
        centered = x - mean
        variance = centered.square().mean(dim=0, keepdim=True)""",
        says="You take mean and variance over the first dimension, as batch norm does, so a vector's "
        "result depends on the others in the batch. Layer norm normalizes each vector by itself: over"
        " the last dimension.",
    ),
    Mistake(
        "statistics-over-the-sequence-too",
        find="""\
        mean = x.mean(dim=-1, keepdim=True)
        centered = x - mean
        # E[x²] - E[x]² would subtract two numbers near 1e6 if the mean is 1e3; float32 keeps seven digits of
        # each, so little of a variance of 1 is left.
        variance = centered.square().mean(dim=-1, keepdim=True)""",
        replace="""\
        mean = x.mean(dim=(-2, -1), keepdim=True)
        centered = x - mean
        variance = centered.square().mean(dim=(-2, -1), keepdim=True)""",
        says="You take mean and variance over more than the last dimension (the last two, or all but the "
        "first, say), so the tokens of a sequence share them. Every vector has statistics of its own, over "
        "the last dimension alone; otherwise a token's result depends on its neighbours and on padding.",
    ),
    Mistake(
        "mean-not-subtracted",
        find="        centered = x - mean",
        replace="        centered = x",
        says="You do not subtract the mean: what you have is RMS norm (with a bias). Layer norm takes the "
        "mean away first, and the variance is that of what remains.",
    ),
    Mistake(
        "variance-detached",
        find="        variance = centered.square().mean(dim=-1, keepdim=True)",
        replace="        variance = centered.square().mean(dim=-1, keepdim=True).detach()",
        says="Your values are right, but the gradient of x lacks the part that flows through the variance. "
        "The variance depends on x: it may not be cut off from the graph (detach, no_grad, .item()), and a "
        "backward by hand has a term for it.",
    ),
    Mistake(
        "bias-scaled",
        find="        return self.weight * normalized + self.bias",
        replace="        return self.weight * (normalized + self.bias)",
        says="You add the bias before you scale, so the weight scales it too. The order is scale, then "
        "shift: weight * normalized + bias.",
    ),
    Mistake(
        "weight-not-a-parameter",
        find="        self.weight = nn.Parameter(torch.ones(hidden_size))",
        replace='        self.register_buffer("weight", torch.ones(hidden_size))',
        says="Your weight is no parameter (but a buffer, say, or a plain tensor), so no optimizer ever sees "
        "it and it stays at ones. Wrap it: nn.Parameter(torch.ones(hidden_size)).",
    ),
    Mistake(
        "weight-and-bias-not-parameters",
        find="""\
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))""",
        replace="""\
        self.register_buffer("weight", torch.ones(hidden_size))
        self.register_buffer("bias", torch.zeros(hidden_size))""",
        says="Your module has no parameters: weight and bias are missing, or they are buffers or plain "
        "tensors, which no optimizer ever sees. Wrap them: nn.Parameter(torch.ones(hidden_size)), "
        "nn.Parameter(torch.zeros(hidden_size)).",
    ),
    Mistake(
        "input-modified",
        find="        centered = x - mean",
        replace="        centered = x.sub_(mean)",
        says="You subtract the mean in place, so the caller's tensor is changed (in a transformer: the "
        "residual), and a leaf that requires a gradient raises. Make a new tensor: x - mean.",
    ),
    Mistake(
        "input-modified-without-gradients",
        find="        centered = x - mean",
        replace="        centered = x - mean if x.requires_grad else x.sub_(mean)",
        says="You work in place on what is the caller's tensor or a view of it, past autograd: x where it "
        "asks no gradient, or x.detach(), for example. So x is changed (in a transformer: the residual). "
        "Make a new tensor: x - mean.",
    ),
    Mistake(
        "eps-as-a-floor",
        find="        normalized = centered / torch.sqrt(variance + self.eps)",
        replace="        normalized = centered / torch.sqrt(variance.clamp(min=self.eps))",
        says="You use eps as a lower bound of the variance. It is added, always: sqrt(variance + eps).",
    ),
    Mistake(
        "eps-fixed",
        find="        self.eps = eps",
        replace="        self.eps = 1e-5",
        says="You write 1e-5 into the layer, so the argument eps has no effect. It is the default only: "
        "use what was passed.",
    ),
    Mistake(
        "mean-detached",
        find="        mean = x.mean(dim=-1, keepdim=True)",
        replace="        mean = x.mean(dim=-1, keepdim=True).detach()",
        says="Your values are right, but the gradient of x lacks the part that flows through the mean, so it "
        "does not sum to 0 over the features as it must. The mean depends on x: it may not be cut off from "
        "the graph (detach, no_grad), and a backward by hand has a term for it.",
    ),
    Mistake(
        "weight-starts-at-zero",
        find="        self.weight = nn.Parameter(torch.ones(hidden_size))",
        replace="        self.weight = nn.Parameter(torch.zeros(hidden_size))",
        says="Your weight starts at zero, so the layer first gives nothing but its bias, and no gradient "
        "reaches x. The scale starts at ones and the shift at zeros.",
    ),
    Mistake(
        "bias-forgotten",
        find="        return self.weight * normalized + self.bias",
        replace="        return self.weight * normalized",
        says="You never add the bias, so it gets no gradient and the mean of the result cannot move. The "
        "result is weight * normalized + bias.",
    ),
    Mistake(
        "variance-is-the-sum",
        find="        variance = centered.square().mean(dim=-1, keepdim=True)",
        replace="        variance = centered.square().sum(dim=-1, keepdim=True)",
        says="You do not divide the sum of squares by hidden_size, so the result shrinks as the vector "
        "grows longer. The variance is the mean of the squares.",
    ),
    Mistake(
        "mean-not-subtracted-from-the-numerator",
        find="        normalized = centered / torch.sqrt(variance + self.eps)",
        replace="        normalized = x / torch.sqrt(variance + self.eps)",
        says="You divide x itself by the standard deviation, so its mean stays in. Divide what is left "
        "after the mean was subtracted.",
    ),
    Mistake(
        "no-eps",
        find="        normalized = centered / torch.sqrt(variance + self.eps)",
        replace="        normalized = centered / torch.sqrt(variance)",
        says="You leave eps out. Where all features are equal the variance is 0, and 0 / 0 is NaN. Add eps"
        " to the variance, inside the root.",
    ),
    Mistake(
        "statistics-detached",
        find="""\
        mean = x.mean(dim=-1, keepdim=True)
        centered = x - mean
        # E[x²] - E[x]² would subtract two numbers near 1e6 if the mean is 1e3; float32 keeps seven digits of
        # each, so little of a variance of 1 is left.
        variance = centered.square().mean(dim=-1, keepdim=True)""",
        replace="""\
        mean = x.mean(dim=-1, keepdim=True).detach()
        centered = x - mean
        variance = centered.square().mean(dim=-1, keepdim=True).detach()""",
        says="Your values are right, but the gradient of x is just that of a scaling: it lacks the parts "
        "that flow through mean and variance. Both depend on x: they may not be cut off from the graph "
        "(detach, no_grad), and a backward by hand has a term for each.",
    ),
    Mistake(
        "eps-added-to-std",
        find="        normalized = centered / torch.sqrt(variance + self.eps)",
        replace="        normalized = centered / (x.std(dim=-1, correction=0, keepdim=True) + self.eps)",
        says="You add eps to the standard deviation. It belongs to the variance, inside the root: "
        "sqrt(variance + eps). For a vector of equal features yours divides by 1e-5, the right one by 3e-3.",
    ),
    Mistake(
        "eps-added-to-unbiased-std",
        find="        normalized = centered / torch.sqrt(variance + self.eps)",
        replace="        normalized = centered / (x.std(dim=-1, keepdim=True) + self.eps)",
        says="You divide by x.std() + eps, which is wrong twice. torch.std divides the sum of squares by "
        "hidden_size - 1 unless told correction=0, layer norm by hidden_size. And eps is added to the "
        "variance, inside the root: sqrt(variance + eps).",
    ),
    Mistake(
        "float32-inside",
        find="        mean = x.mean(dim=-1, keepdim=True)",
        replace="""\
        x = x.float()
        mean = x.mean(dim=-1, keepdim=True)""",
        says="You compute in float32 whatever came. With a mean of 1e3 a float64 x loses all but four digits "
        "of what is left after the mean: compute in the dtype of x. Only half precision needs a conversion, "
        "and upwards.",
    ),
    Mistake(
        "view-of-any-layout",
        find="        mean = x.mean(dim=-1, keepdim=True)",
        replace="""\
        x = x.view(-1, x.shape[-1]).view(x.shape)
        mean = x.mean(dim=-1, keepdim=True)""",
        says="You flatten x with view, which raises for a transposed tensor: its rows do not lie behind each "
        "other in memory. Use reshape, or none at all: mean(dim=-1) takes any leading dimensions.",
    ),
    instance_mistakes.kept_on_the_class("        self.eps = eps\n", "eps"),
    Mistake(
        "statistics-over-dimension-one",
        find="mean = x.mean(dim=-1, keepdim=True)",
        replace="mean = x.mean(dim=1, keepdim=True)",
        also=(
            ("centered.square().mean(dim=-1, keepdim=True)", "centered.square().mean(dim=1, keepdim=True)"),
        ),
        says="You take mean and variance over dimension 1. That is the last one for a batch of vectors only; "
        "for (batch, sequence, features) it is the sequence. Count from the end: dim=-1.",
    ),
]
