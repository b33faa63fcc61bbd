"""Known wrong versions of `batch_norm`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

MISTAKES = [
    Mistake(
        "unbiased-by-the-batch-size",
        find="                n = x.numel() // x.shape[1]",
        replace="                n = x.shape[0]",
        says="You correct the variance with the batch size. n is the number of values per channel: the "
        "batch size times the number of positions, x.numel() / num_features. Only for (batch, channels) "
        "are they the same.",
    ),
    Mistake(
        "normalized-by-the-unbiased-variance",
        find="            variance = x.var(dim=dims, correction=0)  # (num_features,)",
        replace="            variance = x.var(dim=dims)  # (num_features,)",
        says="You normalize with the unbiased variance: torch.var divides by n - 1 unless told "
        "correction=0. The batch is normalized by the biased one, divided by n; the unbiased one is for "
        "running_var alone.",
    ),
    Mistake(
        "variance-by-difference-of-moments",
        find="            variance = x.var(dim=dims, correction=0)  # (num_features,)",
        replace="            variance = x.square().mean(dim=dims) - mean.square()",
        says="You take the variance as E[x²] - E[x]². With a mean of 1e3 both are near 1e6, float32 keeps "
        "seven digits of each, and the difference loses most of its digits (and may be negative). "
        "Subtract the mean first, then average the squares.",
    ),
    Mistake(
        "running-variance-by-difference-of-moments",
        find="                unbiased = variance * n / (n - 1)",
        replace="                unbiased = (x.square().mean(dim=dims) - mean.square()) * n / (n - 1)",
        says="You take the variance for running_var as E[x²] - E[x]². With a mean of 1e3 both are near 1e6, "
        "and float32 keeps seven digits of each: the difference loses most of its digits. Take the variance "
        "of the differences from the mean, times n / (n - 1).",
    ),
    Mistake(
        "evaluation-without-gradients",
        find="        return self.weight.view(columns) * normalized + self.bias.view(columns)",
        replace="""\
        result = self.weight.view(columns) * normalized + self.bias.view(columns)
        return result if self.training else result.detach()""",
        says="In evaluation your result has no gradients (no_grad, for example). Evaluation only means that "
        "the running averages are used and stay: x, weight and bias have their gradients there, too.",
    ),
    Mistake(
        "unbiased-variance-for-both",
        find="""\
            variance = x.var(dim=dims, correction=0)  # (num_features,)
            # Without no_grad the averages would hold on to the graphs of all batches so far.
            with torch.no_grad():
                n = x.numel() // x.shape[1]
                # The batch is a sample: n / (n - 1) makes its variance an unbiased estimate of the data's.
                unbiased = variance * n / (n - 1)""",
        replace="""\
            variance = x.var(dim=dims)  # (num_features,)
            with torch.no_grad():
                unbiased = variance""",
        says="You use the unbiased variance for both. It is right for running_var; the batch itself is "
        "normalized by the biased one, divided by n: x.var(correction=0).",
    ),
    Mistake(
        "channels-last",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="        dims = list(range(x.dim() - 1))",
        says="You average over all dimensions but the last, as if the channels stood there. They are "
        "dimension 1: for (batch, channels, length) average over dimensions 0 and 2.",
    ),
    Mistake(
        "flattened-without-transposing",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="""\
        if x.dim() > 2:
            return self.forward(x.reshape(-1, x.shape[1])).reshape(x.shape)
        dims = [0]""",
        says="You reshape to (-1, channels) although the channels are not the last dimension, which "
        "mixes the channels up. Move dimension 1 to the end before (x.movedim(1, -1)), or average over "
        "all dimensions but 1.",
    ),
    Mistake(
        "not-transposed-back",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="""\
        if x.dim() > 2:
            return self.forward(x.movedim(1, -1).flatten(0, -2)).reshape(x.shape)
        dims = [0]""",
        says="You move the channels to the end to flatten the rest, which is fine, but reshape the "
        "result straight to the old shape, which puts the values in other places. Undo the steps in "
        "reverse order: unflatten, then move the last dimension back to 1.",
    ),
    Mistake(
        "statistics-over-the-batch-only",
        find="        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels",
        replace="        dims = [0]",
        says="You average over the batch alone, so with (batch, channels, length) every position has "
        "its own mean. A channel has one mean and one variance: average over all dimensions but "
        "dimension 1.",
    ),
    Mistake(
        "variances-of-positions-averaged",
        find="            variance = x.var(dim=dims, correction=0)  # (num_features,)",
        replace="            variance = x.var(dim=0, correction=0).reshape(x.shape[1], -1).mean(dim=1)",
        says="You take a variance over the batch at each position and average these. That leaves out "
        "how the positions' means differ. Take one variance over the batch and all positions together.",
    ),
    Mistake(
        "statistics-without-gradient",
        find="""\
            mean = x.mean(dim=dims)  # (num_features,)
            variance = x.var(dim=dims, correction=0)  # (num_features,)
""",
        replace="""\
            mean = x.mean(dim=dims).detach()
            variance = x.var(dim=dims, correction=0).detach()
""",
        says="Your values are right, but the gradient of x is just that of a scaling: it lacks the parts "
        "that flow through the batch's mean and variance. Both depend on x: only what updates the running "
        "averages is detached or under no_grad, and a backward by hand has a term for each.",
    ),
    Mistake(
        "variance-without-gradient",
        find="            variance = x.var(dim=dims, correction=0)  # (num_features,)",
        replace="            variance = x.var(dim=dims, correction=0).detach()",
        says="Your values are right, but the gradient of x lacks the part that flows through the batch's "
        "variance. It depends on x: only what updates the running averages is detached or under no_grad, "
        "and a backward by hand has a term for it.",
    ),
    Mistake(
        "eps-fixed",
        find="        self.eps = eps",
        replace="        self.eps = 1e-5",
        says="You write 1e-5 into the layer, so the argument eps has no effect. It is the default only: "
        "use what was passed.",
    ),
    Mistake(
        "eps-outside-the-root",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="(torch.sqrt(variance.view(columns)) + self.eps)",
        says="You add eps to the standard deviation. It belongs to the variance, inside the root: "
        "sqrt(variance + eps). Outside, a variance of 0 gives the root an infinite derivative and the "
        "gradient can be NaN.",
    ),
    Mistake(
        "eps-in-the-sum-of-squares",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="torch.sqrt(variance.view(columns) + self.eps / (x.numel() // x.shape[1]))",
        says="You add eps to the sum of the squared differences, before it is divided by n, so it counts n "
        "times too little. It is added to the variance.",
    ),
    Mistake(
        "eps-as-a-lower-bound",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="torch.sqrt(variance.view(columns).clamp(min=self.eps))",
        says="You take eps for the smallest variance that there is (clamp, or max). It is added to every "
        "variance: sqrt(variance + eps).",
    ),
    Mistake(
        "default-eps",
        find="eps: float = 1e-5",
        replace="eps: float = 1e-6",
        says="Your default eps is 1e-6. It is 1e-5 here, as in nn.BatchNorm1d.",
    ),
    Mistake(
        "no-eps",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="torch.sqrt(variance.view(columns))",
        says="You leave eps out. Where all values of a channel are equal the variance is 0, and 0 / 0 "
        "is NaN. Add eps to the variance, inside the root.",
    ),
    Mistake(
        "root-forgotten",
        find="torch.sqrt(variance.view(columns) + self.eps)",
        replace="(variance.view(columns) + self.eps)",
        says="You divide by the variance. Divide by its root, the standard deviation: only then is the "
        "variance of the result 1.",
    ),
    Mistake(
        "bias-scaled",
        find="        return self.weight.view(columns) * normalized + self.bias.view(columns)",
        replace="        return self.weight.view(columns) * (normalized + self.bias.view(columns))",
        says="You add the bias before you scale, so the weight scales it too. The order is scale, then "
        "shift: weight * normalized + bias.",
    ),
    Mistake(
        "input-modified",
        find="        normalized = (x - mean.view(columns))",
        replace="        normalized = x.sub_(mean.view(columns))",
        says="You subtract the mean in place, so the caller's tensor is changed, and a leaf that "
        "requires a gradient raises. Make a new tensor: x - mean.",
    ),
    Mistake(
        "input-modified-without-gradients",
        find="        normalized = (x - mean.view(columns))",
        replace="""\
        mean = mean.view(columns)
        normalized = (x - mean if x.requires_grad else x.sub_(mean))""",
        says="You work in place on what is the caller's tensor or a view of it, past autograd: x where it "
        "asks no gradient, or x.detach(), for example. So x is changed. Make a new tensor: x - mean.",
    ),
    instance_mistakes.kept_on_the_class("        self.eps = eps\n", "eps"),
    Mistake(
        "mode-of-the-gradients",
        find="        if self.training:",
        replace="        if torch.is_grad_enabled():",
        says="You ask torch.is_grad_enabled() whether this is training. That is another switch: a layer in "
        "evaluation may be differentiated, and one in training may run under no_grad. Ask self.training, "
        "which train() and eval() set.",
    ),
]
