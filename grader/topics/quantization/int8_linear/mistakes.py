"""Known wrong versions of `int8_linear`."""

from grader.kit import Mistake

SCALE = "scale = x.abs().amax(dim=-1, keepdim=True) / 127"
ROUND = "return torch.round(x / scale).to(torch.int8), scale"
GUARD = "    scale = scale.masked_fill(scale == 0, 1.0)  # 0 / 0 would be NaN\n"
BIAS = "return out if self.bias is None else out + self.bias"
OF_WEIGHT = "weight, scale = quantize(linear.weight.detach())"
OF_X = "q, x_scale = quantize(x)"
TOTAL = "total = q.int() @ self.weight.int().T"
OUT = "out = total * x_scale * self.scale[:, 0]"

MISTAKES = [
    Mistake(
        "one-scale-for-all",
        find=SCALE,
        replace="scale = x.abs().max() / 127",
        says="You take the largest value of the whole tensor: one large value makes all rows coarse. Each "
        "row along the last dimension has its own scale, with that dimension kept as 1.",
    ),
    Mistake(
        "one-scale-for-all-tokens",
        find=OF_X,
        replace="q, x_scale = quantize(x.reshape(1, -1))\n        q = q.reshape(x.shape)",
        also=(("out = total * x_scale *", "out = total * x_scale[0, 0] *"),),
        says="You quantize x with one scale for all of it. Each token, a row along the last dimension, has "
        "its own: a large token must not make the others coarser.",
    ),
    Mistake(
        "one-scale-for-the-weight",
        find=OF_WEIGHT,
        replace="weight, scale = quantize(linear.weight.detach().reshape(1, -1))\n"
        "        weight = weight.reshape(linear.weight.shape)\n"
        "        scale = scale.expand(len(weight), 1).clone()",
        says="You quantize the weight with one scale for the whole matrix. Each output (row) has its own.",
    ),
    Mistake(
        "scale-by-input-feature",
        find=OF_WEIGHT,
        replace="weight, scale = quantize(linear.weight.detach().T)\n        weight = weight.T",
        says="You give each input feature of the weight a scale. It depends on what the sum runs over, so "
        "it cannot be taken out of it. One for each output: along the rows of the weight.",
    ),
    Mistake(
        "first-dimension",
        find="amax(dim=-1, keepdim=True)",
        replace="amax(dim=0, keepdim=True)",
        says="Your scales are those of the columns: the largest value has to be taken along the last "
        "dimension.",
    ),
    Mistake(
        "dimension-not-kept",
        find="amax(dim=-1, keepdim=True)",
        replace="amax(dim=-1)",
        also=(("torch.round(x / scale)", "torch.round(x / scale[..., None])"),),
        says="Your scales have lost the last dimension. They are (..., 1), so that they broadcast against "
        "the rows that they belong to.",
    ),
    Mistake(
        "max-without-abs",
        find="x.abs().amax(",
        replace="x.amax(",
        says="You take the largest value with its sign, so a large negative one is beyond -127 and wraps "
        "around or is cut off. Take the largest |x|.",
    ),
    Mistake(
        "divided-by-128",
        find=SCALE,
        replace=SCALE.replace("127", "128"),
        says="You divide by 128. A row's largest value becomes -128, which fits, if it is negative; if it is "
        "positive, 128, which int8 has not: it wraps around to -128. Divide by 127.",
    ),
    Mistake(
        "divided-by-128-and-clamped",
        find=SCALE,
        replace=SCALE.replace("127", "128"),
        also=(("torch.round(x / scale)", "torch.round(x / scale).clamp(-128, 127)"),),
        says="You divide by 128 and cut off at 127. A row's largest value becomes -128, which fits, if it is "
        "negative; a positive one, which counts as much, comes back too small. Divide by 127.",
    ),
    Mistake(
        "range-over-255",
        find=SCALE,
        replace="scale = (x.amax(dim=-1, keepdim=True) - x.amin(dim=-1, keepdim=True)) / 255",
        says="Your scale is the range from the smallest to the largest value over 255: that goes with a "
        "zero point. Without one it is max |x| / 127.",
    ),
    Mistake(
        "truncated",
        find="torch.round(x / scale)",
        replace="(x / scale)",
        says="You convert without rounding, which cuts towards zero: errors are up to a whole step, and "
        "always make values smaller. Round first.",
    ),
    Mistake(
        "rounded-down",
        find="torch.round(x / scale)",
        replace="torch.floor(x / scale)",
        says="You round down: errors are up to a whole step and all of one sign, so they add up in the "
        "sum. Round to the nearest.",
    ),
    Mistake(
        "still-floats",
        find=ROUND,
        replace="return torch.round(x / scale), scale",
        says="Your whole numbers are still floats: nothing is saved. Convert to torch.int8.",
    ),
    Mistake(
        "zero-rows-unguarded",
        find=GUARD,
        replace="",
        says="The scale of a row of zeros is 0, and 0 / 0 is NaN. Give such a row any positive scale.",
    ),
    Mistake(
        "eps-added",
        find=GUARD,
        replace="    scale = scale + 1e-5\n",
        says="You add an eps to every scale: rows of small values are off, and the largest does not become "
        "127. Only a row of zeros needs another scale.",
    ),
    Mistake(
        "scale-clamped",
        find=GUARD,
        replace="    scale = scale.clamp(min=1e-5)\n",
        says="You let no scale be smaller than, for example, 1e-5, so rows of small values do not reach 127 "
        "and lose their digits. Only a row of zeros needs another scale.",
    ),
    Mistake(
        "scale-clamped-at-1e-6",
        find=GUARD,
        replace="    scale = scale.clamp(min=1e-6)\n",
        says="You let no scale be smaller than 1e-6, so a row whose largest value is 1e-4 does not reach "
        "127. Only a row of zeros needs another scale.",
    ),
    Mistake(
        "scale-in-float32",
        find=GUARD,
        replace=GUARD + "    scale = scale.float()\n",
        says="Your scales are float32 whatever x is. They have x's dtype.",
    ),
    Mistake(
        "int8-product",
        find=TOTAL,
        replace="total = q @ self.weight.T",
        says="You multiply and add in int8, which ends at 127: the sums wrap around. Convert both to int32 "
        "(or wider) before the product.",
    ),
    Mistake(
        "float32-product",
        find=TOTAL,
        replace="total = q.float() @ self.weight.float().T",
        says="You add up in float32, which has not all whole numbers above 2^24: large sums are rounded. "
        "Multiply in int32 or float64.",
    ),
    Mistake(
        "product-in-the-dtype-of-x",
        find=TOTAL,
        replace="total = q.to(x.dtype) @ self.weight.to(x.dtype).T",
        says="You add up in the dtype of x. Where that is float32, which has not all whole numbers above "
        "2^24, large products that cancel leave a wrong sum. Multiply in int32 or float64.",
    ),
    Mistake(
        "floats-multiplied",
        find=TOTAL,
        replace="total = (q * x_scale) @ (self.weight * self.scale).T",
        also=((OUT, "out = total"),),
        says="You scale first and multiply floats, so each product is rounded, and nothing is gained by "
        "int8. Multiply the whole numbers, exactly, and scale the sum.",
    ),
    Mistake(
        "int16-product",
        find=TOTAL,
        replace="total = q.short() @ self.weight.short().T",
        says="You add up in int16, which ends at 32,767: three products may be too many. Multiply in int32 "
        "or float64.",
    ),
    Mistake(
        "weight-only",
        find=TOTAL,
        replace="total = x @ (self.weight * self.scale).T",
        also=((OUT, "out = total"),),
        says="You multiply x itself: only the weight is quantized. Quantize x in each call as well, and "
        "multiply whole numbers.",
    ),
    Mistake(
        "inverse-scale",
        find=GUARD,
        replace=GUARD + "    scale = 1 / scale\n",
        also=(
            ("torch.round(x / scale)", "torch.round(x * scale)"),
            (OUT, "out = total / x_scale / self.scale[:, 0]"),
        ),
        says="You return the factor by which x was multiplied. The scale is what a whole number is "
        "multiplied by: max |x| / 127.",
    ),
    Mistake(
        "converted-weight-kept",
        find=TOTAL,
        replace="self.wide = self.weight.int()\n        total = q.int() @ self.wide.T",
        says="You keep the weight in a wider type after a forward, which takes more memory than the float "
        "weight did or as much. Convert it in each call, and let it go.",
    ),
    Mistake(
        "bias-before-the-scales",
        find=OUT,
        replace="total = total if self.bias is None else total + self.bias\n        " + OUT,
        also=((BIAS, "return out"),),
        says="You add the bias to the sum of whole numbers, so the scales multiply it, too. Scale first.",
    ),
    Mistake(
        "bias-forgotten",
        find=BIAS,
        replace="return out",
        says="Your result lacks the bias.",
    ),
    Mistake(
        "scale-of-x-forgotten",
        find="out = total * x_scale * self.scale[:, 0]",
        replace="out = total * self.scale[:, 0]",
        says="You multiply by the weight's scales only. x was divided by its own: multiply by both.",
    ),
    Mistake(
        "scale-of-the-weight-forgotten",
        find="out = total * x_scale * self.scale[:, 0]",
        replace="out = total * x_scale",
        says="You multiply by the scales of x only. The weight was divided by its own: multiply by both.",
    ),
    Mistake(
        "scales-as-a-row",
        find="self.scale[:, 0]",
        replace="self.scale.T",
        says="An x without leading dimensions comes out as (1, out_features): you multiply by scales of "
        "that shape. As (out_features,) they suit any x.",
    ),
    Mistake(
        "float-weight-kept",
        find='        self.register_buffer("scale", scale)\n',
        replace='        self.register_buffer("scale", scale)\n        self.kept = linear.weight.detach()\n',
        says="You keep another copy of the weight, for example the float one, so the layer needs more "
        "memory than before. Keep the int8 weight, the scales and the bias.",
    ),
    Mistake(
        "linear-kept",
        find='        self.register_buffer("scale", scale)\n',
        replace='        self.register_buffer("scale", scale)\n        self.linear = linear\n',
        says="You keep the linear as a submodule: its parameters are the layer's, and in its state dict. "
        "Keep the int8 weight, the scales and the bias.",
    ),
    Mistake(
        "not-detached",
        find="quantize(linear.weight.detach())",
        replace="quantize(linear.weight)",
        says="You quantize the parameter itself, so the scales hang in a graph that keeps the float weight "
        "alive. Detach it.",
    ),
    Mistake(
        "bias-shared",
        find="linear.bias.detach().clone()",
        replace="linear.bias.detach()",
        says="Your bias is the linear's own memory (.data and detach copy nothing): what is written "
        "into the one changes the other. Clone it.",
    ),
    Mistake(
        "plain-attributes",
        find='        self.register_buffer("weight", weight)\n        self.register_buffer("scale", scale)\n',
        replace="        self.weight = weight\n        self.scale = scale\n",
        says="Weight and scale are plain attributes: they are not in the state dict, and do not move with "
        "the module. Register them as buffers.",
    ),
]
