"""Known wrong versions of `int8_linear`: rounding, what is written into, what the layer holds and adds."""

from grader.kit import Mistake

SCALE = "scale = x.abs().amax(dim=-1, keepdim=True) / 127"
ROUND = "torch.round(x / scale)"
HELD = 'self.register_buffer("scale", scale)'
OF_BIAS = 'self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())'
OF_WEIGHT = "weight, scale = quantize(linear.weight.detach())"
OF_X = "q, x_scale = quantize(x)"
TOTAL = "total = q.int() @ self.weight.int().T"
OUT = "out = total * x_scale * self.scale[:, 0]"
BIAS = "return out if self.bias is None else out + self.bias"

MISTAKES = [
    Mistake(
        "half-added-and-cut",
        find=ROUND,
        replace="(x / scale + 0.5)",
        says="You add one half and cut off behind the point. That cuts towards zero, so most negative values "
        "are one too large. Take torch.round, or floor(x / scale + 0.5).",
    ),
    Mistake(
        "rounded-up",
        find=ROUND,
        replace="torch.ceil(x / scale)",
        says="You round up: errors are up to a whole step and all of one sign, so they add up in the sum. "
        "Round to the nearest.",
    ),
    Mistake(
        "view-of-other-layouts",
        find=SCALE,
        replace="rows = x.view(-1, x.shape[-1])\n"
        "    scale = (rows.abs().amax(dim=-1) / 127).view(*x.shape[:-1], 1)",
        says="You flatten with view, which raises where x is not contiguous. Take reshape, or leave x as it "
        "is: amax(dim=-1) takes any leading dimensions.",
    ),
    Mistake(
        "quantized-in-place",
        find=f"    {SCALE}",
        replace=f"    x = x.detach()\n    {SCALE}",
        also=((f"return {ROUND}", "return x.div_(scale).round_()"),),
        says="quantize divides x itself in place, so the argument is overwritten, and so is the linear's "
        "weight (detach and contiguous share their memory). Make a new tensor: x / scale.",
    ),
    Mistake(
        "x-written-to-in-forward",
        find=OF_X,
        replace=f"{OF_X}\n        x.div_(x_scale).round_()",
        says="forward writes into its x: who called it goes on with other numbers than they had. Make a new "
        "tensor.",
    ),
    Mistake(
        "linear-rounded-as-well",
        find=OF_WEIGHT,
        replace=f"{OF_WEIGHT}\n        linear.weight.data = weight * scale",
        says="You put the rounded weight back into the linear. It is not modified.",
    ),
    Mistake(
        "bias-before-the-scale-of-x",
        find=OUT,
        replace="out = total * self.scale[:, 0]\n"
        "        out = (out if self.bias is None else out + self.bias) * x_scale",
        also=((BIAS, "return out"),),
        says="You add the bias before you multiply by the scales of x, which then multiply the bias as well. "
        "Multiply by both scales first.",
    ),
    Mistake(
        "bias-before-the-scale-of-the-weight",
        find=OUT,
        replace="out = total * x_scale\n"
        "        out = (out if self.bias is None else out + self.bias) * self.scale[:, 0]",
        also=((BIAS, "return out"),),
        says="You add the bias before you multiply by the weight's scales, which then multiply the bias as "
        "well. Multiply by both scales first.",
    ),
    Mistake(
        "bias-of-zeros-for-none",
        find=OF_BIAS,
        replace='self.register_buffer("bias", torch.zeros_like(linear.weight[:, 0]).detach()'
        " if linear.bias is None else linear.bias.detach().clone())",
        says="Where the linear has no bias you keep one of zeros. It is None then, and not in the state "
        "dict.",
    ),
    Mistake(
        "bias-a-plain-attribute",
        find=OF_BIAS,
        replace="self.bias = None if linear.bias is None else linear.bias.detach().clone()",
        says="The bias is a plain attribute: it is not in the state dict, and does not move with the module. "
        "Register it as a buffer.",
    ),
    Mistake(
        "bias-a-parameter",
        find=OF_BIAS,
        replace="self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().clone())",
        says="The bias is a parameter. The layer has none: register a copy of it as a buffer.",
    ),
    Mistake(
        "scale-a-parameter",
        find=HELD,
        replace="self.scale = nn.Parameter(scale)",
        says="The scale is a parameter. The layer has none: register it as a buffer.",
    ),
    Mistake(
        "scale-not-in-the-state-dict",
        find=HELD,
        replace='self.register_buffer("scale", scale, persistent=False)',
        says="The scale is not in the state dict (persistent=False), so a layer that loads one multiplies "
        "its whole numbers by the scales of another. Weight, scale and bias belong there.",
    ),
    Mistake(
        "weight-transposed",
        find=OF_WEIGHT,
        replace=f"{OF_WEIGHT}\n        weight = weight.T.contiguous()",
        also=(("self.weight.int().T", "self.weight.int()"),),
        says="You keep the weight transposed, as (in_features, out_features). It is the linear's: "
        "(out_features, in_features).",
    ),
    Mistake(
        "scale-in-float32-and-the-result-converted",
        find="    return torch.round(x / scale).to(torch.int8), scale",
        replace="    return torch.round(x / scale).to(torch.int8), scale.float()",
        also=((OUT, "out = (total.double() * x_scale.double() * self.scale[:, 0].double()).to(x.dtype)"),),
        says="Your scales are float32 whatever x is: they have x's dtype. Your result has it again, but in "
        "float64 it lacks the digits that float32 scales have lost.",
    ),
    Mistake(
        "scaled-in-float32",
        find=OUT,
        replace="out = total.float() * (x_scale * self.scale[:, 0]).float()",
        says="You multiply by the scales in float32 whatever x is. The result has x's dtype.",
    ),
    Mistake(
        "leading-dimensions-lost",
        find=OF_X,
        replace=f"x = x.reshape(-1, x.shape[-1])\n        {OF_X}",
        says="Your result has one row for each token, (tokens, out_features). It keeps the leading "
        "dimensions of x, or has none where x has none.",
    ),
    Mistake(
        "converted-weight-kept-for-good",
        find=TOTAL,
        replace='if not hasattr(self, "wide"):\n'
        "            self.wide = self.weight.double()\n"
        "        total = (q.double() @ self.wide.T).long()",
        says="You keep the weight a second time, in a wider type or another layout: a state dict that is "
        "loaded later never gets into that, and it takes memory. Turn and convert the weight in each call.",
    ),
    *(
        Mistake(
            name,
            find=SCALE,
            replace=SCALE.removesuffix(" / 127"),
            also=((ROUND, "torch.round(x / (scale / 127))"), *also),
            says=f"The scale that quantize gives is max |x|, not divided by 127{where}. A scale is what a "
            "whole number is multiplied by to come back to x, and the largest is 127: max |x| / 127, in what "
            "quantize gives and in the buffer.",
        )
        for name, also, where in [
            (
                "largest-value-as-the-scale",
                ((OUT, f"{OUT} / 127**2"),),
                ": your layer makes up for it, so that its results are right",
            ),
            (
                "largest-value-as-the-scale-in-the-layer-too",
                (),
                ", and the layer's results are 127**2 times too large",
            ),
        ]
    ),
    Mistake(
        "largest-value-in-the-buffer",
        find=HELD,
        replace=HELD.replace(", scale", ", scale * 127"),
        also=((OUT, f"{OUT} / 127"),),
        says="Your layer's buffer scale holds max |weight| of each row, and forward divides by 127. What is "
        "in the state dict is the scale that quantize gives: max |weight| / 127.",
    ),
    *(
        Mistake(
            f"last-block-of-features-dropped-{block}",
            find="        total = q.int() @ self.weight.int().T  # (..., out_features)\n",
            replace=f"""\
        used = q.shape[-1] - q.shape[-1] % min({block}, q.shape[-1])
        total = q[..., :used].int() @ self.weight[:, :used].int().T
""",
            says="You add up the products block by block, and leave out the features that fill no whole "
            "block (Tensor.unfold drops them, for example). Let the last block be shorter.",
        )
        for block in (16, 32, 64, 128, 256, 1024)
    ),
]
