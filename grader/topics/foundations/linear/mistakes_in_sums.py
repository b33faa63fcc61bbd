"""Known wrong versions of `linear`: what the gradients are summed with, and what is written to."""

from grader.kit import Mistake

GRAD_BIAS = "grad_bias = grad_rows.sum(dim=0)  # (out_features,)"
GRAD_WEIGHT = "grad_weight = grad_rows.T @ x_rows  # (out_features, in_features)"
GRAD_X = "grad_x = grad_output @ weight  # (..., in_features)"
BIAS = "nn.Parameter(torch.empty(out_features).uniform_(-bound, bound))"
ADDED = "return y if bias is None else y + bias"
WEIGHTS_LEFT = """
    if x.ndim > 3:
        grad_weight = (grad_output.mT @ x).sum(0)"""
BIASES_LEFT = """
    if x.ndim > 3:
        grad_bias = grad_output.sum(-2).sum(0)"""

MISTAKES = [
    Mistake(
        "ones-on-the-default-device",
        find=GRAD_BIAS,
        replace="grad_bias = grad_rows.T @ torch.ones(len(grad_rows), dtype=grad_rows.dtype)",
        says="linear_backward makes a tensor on the default device (ones to sum with, for example). Results "
        "are on the device of the arguments: pass device=, or take grad_output.new_ones.",
    ),
    Mistake(
        "ones-in-the-default-dtype",
        find=GRAD_BIAS,
        replace="grad_bias = grad_rows.T @ torch.ones(len(grad_rows), device=grad_rows.device)",
        says="You sum with ones of the default dtype, which multiply no float64. Take grad_output.new_ones, "
        "or sum.",
    ),
    Mistake(
        "bias-twice",
        find=ADDED,
        replace="return y if bias is None else y + 2 * bias",
        says="You add the bias twice.",
    ),
    Mistake(
        "input-gradient-flattened",
        find=GRAD_X,
        replace="grad_x = grad_rows @ weight",
        says="Your gradient of x has one row for each position, (rows, in_features). It has the shape of x.",
    ),
    Mistake(
        "weight-gradient-of-rows-reshaped",
        find=GRAD_WEIGHT,
        replace="grad_weight = grad_output.reshape(out_features, -1) @ x_rows",
        says="For the weight's gradient you reshape grad_output to (out_features, rows), which reads its "
        "numbers on in their order and mixes rows and features. Reshape it to (rows, out_features) and "
        "transpose that.",
    ),
    Mistake(
        "weight-gradient-of-inputs-reshaped",
        find=GRAD_WEIGHT,
        replace="grad_weight = (x.reshape(in_features, -1) @ grad_rows).T",
        says="For the weight's gradient you reshape x to (in_features, rows), which reads its numbers on in "
        "their order and mixes rows and features. Reshape it to (rows, in_features) and transpose that.",
    ),
    Mistake(
        "gradients-in-float32",
        find="return grad_x, grad_weight, grad_bias",
        replace="return grad_x.float(), grad_weight.float(), grad_bias.float()",
        says="linear_backward gives float32 whatever came. The gradients have the dtype of the arguments.",
    ),
    Mistake(
        "bias-frozen-at-zero-for-none",
        find=f"{BIAS} if bias else None",
        replace=f"{BIAS} if bias else nn.Parameter(torch.zeros(out_features), requires_grad=False)",
        says="With bias=False your layer keeps a parameter bias, frozen at zeros: it is in the state dict "
        "and among the parameters. Make it only if it is asked for.",
    ),
    Mistake(
        "same-in-every-layer",
        find="        bound = 1 / math.sqrt(in_features)\n",
        replace="        torch.manual_seed(0)\n        bound = 1 / math.sqrt(in_features)\n",
        says="Every layer of yours begins with the same numbers, those of a fixed seed. Draw them anew for "
        "each layer: who wants them again sets the seed from outside.",
    ),
    Mistake(
        "vector-becomes-a-row",
        find="    y = x @ weight.T",
        replace="    y = torch.atleast_2d(x) @ weight.T",
        says="Of a vector you make a matrix of one row, (1, out_features): you make x two-dimensional, for "
        "example, and leave it so. A vector gives a vector, (out_features,).",
    ),
    Mistake(
        "input-gradient-of-a-vector-as-a-row",
        find=GRAD_X,
        replace="grad_x = torch.atleast_2d(grad_output) @ weight",
        says="Your gradient of x has the shape (1, in_features) where x is a vector. A gradient has the "
        "shape of what it belongs to, (in_features,).",
    ),
    *(
        Mistake(
            f"weight-gradient-with-{which}-in-another-order",
            find=GRAD_WEIGHT,
            replace=f"grad_weight = {product}",
            says="For the weight's gradient you bring the leading dimensions of grad_output and x into "
            "different orders when you flatten them (permute in reverse for one of the two, for example), so "
            "with two or more of them the rows of other positions meet. Flatten both alike.",
        )
        for which, product in (
            (
                "output-gradients",
                "grad_output.permute(*reversed(range(grad_output.dim()))).reshape(out_features, -1) @ x_rows",
            ),
            (
                "inputs",
                "(x.permute(*reversed(range(x.dim()))).reshape(in_features, -1) @ grad_rows).T",
            ),
        )
    ),
    *(
        Mistake(
            f"{name}-over-two-leading-dimensions-at-most",
            find=find,
            replace=find + edit,
            says=f"With three leading dimensions or more {what} summed over two of them alone, and one is "
            "left. A weight has no leading dimensions: sum over all, however many there are (reshape to rows "
            "first, for example).",
        )
        for name, what, find, edit in (
            ("weight-gradient", "your gradient of the weight is", GRAD_WEIGHT, WEIGHTS_LEFT),
            ("bias-gradient", "your gradient of the bias is", GRAD_BIAS, BIASES_LEFT),
            ("gradients", "your gradients of weight and bias are", GRAD_BIAS, WEIGHTS_LEFT + BIASES_LEFT),
        )
    ),
]
