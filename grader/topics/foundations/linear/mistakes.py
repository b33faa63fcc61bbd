"""Known wrong versions of `linear`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

_GRAD_BIAS = "    grad_bias = grad_rows.sum(dim=0)  # (out_features,)"
_GRAD_WEIGHT = "    grad_weight = grad_rows.T @ x_rows  # (out_features, in_features)"
_GRAD_X = "    grad_x = grad_output @ weight  # (..., in_features)"
_BOUND = "        bound = 1 / math.sqrt(in_features)"
_WEIGHT = "nn.Parameter(torch.empty(out_features, in_features).uniform_(-bound, bound))"
_BIAS = "nn.Parameter(torch.empty(out_features).uniform_(-bound, bound))"
_FORWARD = "        return linear(x, self.weight, self.bias)"

MISTAKES = [
    Mistake(
        "bias-gradient-over-the-first-dimension",
        find=_GRAD_BIAS,
        replace="    grad_bias = grad_output.sum(dim=0)",
        says="You sum the bias's gradient over the first dimension only. With (batch, sequence, features) a "
        "row for each position is left: the bias is added at every position, so sum over all dimensions but "
        "the last.",
    ),
    Mistake(
        "bias-gradient-over-the-first-dimension-of-several",
        find=_GRAD_BIAS,
        replace="    grad_bias = grad_output if grad_output.dim() == 1 else grad_output.sum(dim=0)",
        says="Your bias gradient is right for a vector and a matrix only: of more leading dimensions you sum "
        "over the first one. The bias is added at every place of all of them: sum over all but the last.",
    ),
    Mistake(
        "bias-gradient-not-summed",
        find=_GRAD_BIAS,
        replace="    grad_bias = grad_output",
        says="You give grad_output itself for the bias's gradient. The same bias is added to every row, so "
        "its gradient is the sum of all rows, (out_features,).",
    ),
    Mistake(
        "bias-gradient-of-a-vector-summed",
        find=_GRAD_BIAS,
        replace="    grad_bias = grad_output.sum(dim=tuple(range(grad_output.dim() - 1)))",
        says="For x without leading dimensions your bias gradient is a single number. In PyTorch "
        "sum(dim=()) sums over everything, not over nothing: reshape to (-1, out_features) first, then sum "
        "over dimension 0.",
    ),
    Mistake(
        "bias-gradient-with-a-dimension-more",
        find=_GRAD_BIAS,
        replace="    grad_bias = grad_rows.sum(dim=0, keepdim=True)",
        says="Your bias gradient is (1, out_features): keepdim keeps a dimension that the bias does not "
        "have. A gradient has the shape of what it belongs to, (out_features,).",
    ),
    Mistake(
        "gradients-divided-by-the-rows",
        find=_GRAD_WEIGHT,
        replace="    grad_weight = grad_rows.T @ x_rows / len(x_rows)",
        also=((_GRAD_BIAS, "    grad_bias = grad_rows.mean(dim=0)"),),
        says="You divide the gradients of weight and bias by the number of rows. They are sums: a mean over "
        "the batch belongs to the loss, and then grad_output has the factor already.",
    ),
    Mistake(
        "gradients-divided-by-the-batch-size",
        find=_GRAD_WEIGHT,
        replace="    count = len(x) if x.dim() > 1 else 1\n    grad_weight = grad_rows.T @ x_rows / count",
        also=((_GRAD_BIAS, "    grad_bias = grad_rows.sum(dim=0) / count"),),
        says="You divide the gradients of weight and bias by the batch size (the first dimension). They are "
        "sums: a mean over the batch belongs to the loss, and then grad_output has the factor already.",
    ),
    Mistake(
        "weight-gradient-divided-by-the-rows",
        find=_GRAD_WEIGHT,
        replace="    grad_weight = grad_rows.T @ x_rows / len(x_rows)",
        says="You divide the weight's gradient by the number of rows. It is a sum: a mean over the batch "
        "belongs to the loss, and then grad_output has the factor already.",
    ),
    Mistake(
        "bias-gradient-averaged",
        find=_GRAD_BIAS,
        replace="    grad_bias = grad_rows.mean(dim=0)",
        says="You average the bias's gradient over the rows. It is their sum: every row adds its own part.",
    ),
    Mistake(
        "weight-gradient-transposed",
        find=_GRAD_WEIGHT,
        replace="    grad_weight = x_rows.T @ grad_rows",
        says="Your weight gradient is transposed: xᵀ g is (in_features, out_features). The weight is "
        "(out_features, in_features), and so is its gradient: gᵀ x.",
    ),
    Mistake(
        "weight-gradient-for-each-sample",
        find=_GRAD_WEIGHT,
        replace="    grad_weight = grad_output.mT @ x if x.dim() > 1 else torch.outer(grad_output, x)",
        says="Your weight gradient keeps the batch: grad_output.mT @ x gives one matrix for each sample of "
        "a (batch, sequence, features). The weight is one for all, so sum over all leading dimensions: "
        "flatten them into one before the product.",
    ),
    Mistake(
        "weight-gradient-of-a-vector",
        find=_GRAD_WEIGHT,
        replace="    grad_weight = grad_output.t() @ x if x.dim() == 1 else grad_rows.T @ x_rows",
        says="Without leading dimensions your weight gradient fails: two vectors multiplied give a number "
        "(or raise, if their sizes differ). There it is their outer product; reshape(-1, features) makes "
        "one row of a vector, and then the same product is right for all.",
    ),
    Mistake(
        "input-gradient-with-the-transposed-weight",
        find=_GRAD_X,
        replace="    grad_x = grad_output @ weight.T",
        says="You multiply grad_output by weight.T. Forwards it is x @ weight.T, so backwards it is "
        "grad_output @ weight: (out_features,) times (out_features, in_features). With a square weight "
        "nothing raises.",
    ),
    Mistake(
        "gradients-in-another-order",
        find="    return grad_x, grad_weight, grad_bias",
        replace="    return grad_weight, grad_bias, grad_x",
        says="You return the gradients in another order. It is that of the arguments: x, weight, bias.",
    ),
    Mistake(
        "bias-gradient-left-out",
        find="    return grad_x, grad_weight, grad_bias",
        replace="    return grad_x, grad_weight",
        says="You return two gradients. That of the bias is asked for always, as the third.",
    ),
    Mistake(
        "view-of-any-layout",
        find="grad_output.reshape(-1, out_features)",
        replace="grad_output.view(-1, out_features)",
        also=(("x.reshape(-1, in_features)", "x.view(-1, in_features)"),),
        says="You flatten with view, which raises for a tensor whose rows do not lie behind each other in "
        "memory (a transposed one). Use reshape.",
    ),
    Mistake(
        "flattened-from-a-dimension-that-is-not-there",
        find="grad_output.reshape(-1, out_features)",
        replace="grad_output.flatten(0, -2)",
        also=(("x.reshape(-1, in_features)", "x.flatten(0, -2)"),),
        says="For x without leading dimensions linear_backward raises an IndexError: a vector has no "
        "dimension -2, which flatten(0, -2) asks for, for example. reshape(-1, features) makes one row "
        "of it.",
    ),
    Mistake(
        "rows-added-up-in-the-first",
        find=_GRAD_BIAS,
        replace="    grad_bias = grad_rows[0]\n    for row in grad_rows[1:]:\n        grad_bias += row",
        says="linear_backward writes to grad_output: grad_rows[0] is a view, and += on it adds up there, for "
        "example. Others may need that gradient as well: begin with zeros or a copy, or use sum(dim=0).",
    ),
    Mistake(
        "bias-forgotten",
        find="    return y if bias is None else y + bias",
        replace="    return y",
        says="You never add the bias. The result is x @ weight.T + bias, if there is one.",
    ),
    Mistake(
        "bias-asked-for-its-truth",
        find="    return y if bias is None else y + bias",
        replace="    return y + bias if bias else y",
        says="You write `if bias:`. A tensor of several numbers is neither true nor false, so that raises, "
        "and a single 0 counts as no bias. Ask whether it is None.",
    ),
    Mistake(
        "missing-bias-on-the-default-device",
        find="    return y if bias is None else y + bias",
        replace="    return y + (torch.zeros(len(weight)) if bias is None else bias)",
        says="For a missing bias you make zeros on the default device, which may be another one than that "
        "of x. Add nothing, or make them with x.new_zeros.",
    ),
    Mistake(
        "bias-subtracted",
        find="    return y if bias is None else y + bias",
        replace="    return y if bias is None else y - bias",
        says="You subtract the bias. It is added.",
    ),
    Mistake(
        "weight-not-transposed",
        find="    y = x @ weight.T  # (..., out_features)",
        replace="    y = x @ weight",
        says="You multiply by the weight as it is. It is stored as (out_features, in_features), so x is "
        "multiplied by its transpose. With a square weight nothing raises.",
    ),
    Mistake(
        "weight-stored-the-other-way",
        find=_WEIGHT,
        replace="nn.Parameter(torch.empty(in_features, out_features).uniform_(-bound, bound))",
        also=((_FORWARD, "        return linear(x, self.weight.T, self.bias)"),),
        says="You store the weight as (in_features, out_features). PyTorch stores a row for each output, "
        "(out_features, in_features), and multiplies by the transpose.",
    ),
    Mistake(
        "bias-always-there",
        find=f"{_BIAS} if bias else None",
        replace=_BIAS,
        says="With bias=False your layer still has a bias. Make the parameter only if it is asked for.",
    ),
    Mistake(
        "bias-starts-at-zero",
        find=_BIAS,
        replace="nn.Parameter(torch.zeros(out_features))",
        says="Your bias starts at zero, as in many papers. That of nn.Linear is drawn from the same "
        "±1/sqrt(in_features) as the weight.",
    ),
    Mistake(
        "bias-with-a-bound-of-its-own",
        find=_BIAS,
        replace="nn.Parameter(torch.empty(out_features).uniform_(-1, 1) / math.sqrt(out_features))",
        says="Your bias is drawn between ±1/sqrt(out_features). Its bound is the weight's, "
        "±1/sqrt(in_features).",
    ),
    Mistake(
        "bound-without-the-root",
        find=_BOUND,
        replace="        bound = 1 / in_features",
        says="Your bound is 1/in_features, without the root. The weights then shrink what passes the layer: "
        "variances add up over in_features products, so the bound is 1/sqrt(in_features).",
    ),
    Mistake(
        "bound-from-the-outputs",
        find=_BOUND,
        replace="        bound = 1 / math.sqrt(out_features)",
        says="Your bound comes from out_features. An output is a sum of in_features products, so the bound "
        "is 1/sqrt(in_features).",
    ),
    Mistake(
        "started-as-xaviers",
        find=_WEIGHT,
        replace="nn.Parameter(nn.init.xavier_uniform_(torch.empty(out_features, in_features)))",
        says="You draw the weight as Xavier's, between ±sqrt(6 / (in_features + out_features)). nn.Linear "
        "draws between ±1/sqrt(in_features).",
    ),
    Mistake(
        "started-as-kaimings",
        find=_WEIGHT,
        replace="nn.Parameter(nn.init.kaiming_uniform_(torch.empty(out_features, in_features)))",
        says="You draw the weight between ±sqrt(6 / in_features), as kaiming_uniform_ does unless told "
        "otherwise. nn.Linear gives it a = sqrt(5), which makes that ±1/sqrt(in_features).",
    ),
    Mistake(
        "started-as-kaimings-normal",
        find=_WEIGHT,
        replace="nn.Parameter(nn.init.kaiming_normal_(torch.empty(out_features, in_features)))",
        says="You draw the weight from a normal distribution of variance 2 / in_features, Kaiming's for "
        "ReLU. nn.Linear draws uniformly between ±1/sqrt(in_features), which has the variance 1 / (3 "
        "in_features).",
    ),
    Mistake(
        "weight-normal",
        find=_WEIGHT,
        replace="nn.Parameter(torch.randn(out_features, in_features) * bound)",
        says="You draw the weight from a normal distribution. Asked for is a uniform one between "
        "±1/sqrt(in_features): rand or uniform_.",
    ),
    Mistake(
        "weight-and-bias-normal",
        find=_WEIGHT,
        replace="nn.Parameter(torch.randn(out_features, in_features) * bound)",
        also=((_BIAS, "nn.Parameter(torch.randn(out_features) * bound)"),),
        says="You draw weight and bias from a normal distribution. Asked for is a uniform one between "
        "±1/sqrt(in_features): rand or uniform_.",
    ),
    Mistake(
        "standard-normal",
        find=_WEIGHT,
        replace="nn.Parameter(torch.randn(out_features, in_features))",
        says="You start the weight with randn: standard deviation 1, so each layer multiplies what passes "
        "it by sqrt(in_features). Draw between ±1/sqrt(in_features).",
    ),
    Mistake(
        "one-sided",
        find=_WEIGHT,
        replace="nn.Parameter(torch.rand(out_features, in_features) * bound)",
        also=((_BIAS, "nn.Parameter(torch.rand(out_features) * bound)"),),
        says="You draw weight and bias between 0 and the bound: rand is never negative. Draw between -bound "
        "and bound: (2 * rand - 1) * bound.",
    ),
    Mistake(
        "layer-without-gradients",
        find=_FORWARD,
        replace="        return linear(x, self.weight.data, None if self.bias is None else self.bias.data)",
        says="No gradient reaches your layer's parameters (.data, detach or no_grad in forward, say): it "
        "never learns. Use the parameters themselves.",
    ),
    Mistake(
        "weight-kept-from-the-constructor",
        find=_FORWARD,
        replace="        return linear(x, self.kept, self.bias)",
        also=((_WEIGHT, f"{_WEIGHT}\n        self.kept = self.weight.detach()"),),
        says="Your layer multiplies by a tensor kept since __init__: its weight transposed or detached, for "
        "example. When the layer is moved or changes its dtype, that tensor does not: use self.weight in "
        "forward.",
    ),
    instance_mistakes.kept_on_the_class(
        "        self.weight = nn.Parameter(",
        "their bias",
        kept="        type(self).has_bias = bias\n        self.weight = nn.Parameter(",
        also=((_FORWARD, "        return linear(x, self.weight, self.bias if self.has_bias else None)"),),
    ),
]
