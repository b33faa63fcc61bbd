"""Known wrong versions of `activations`."""

import math

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "sigmoid-as-written",
        find="    return torch.where(x >= 0, 1 / (1 + exp_minus), exp_plus / (1 + exp_plus))",
        replace="    return 1 / (1 + torch.exp(-x))",
        says="Your sigmoid is 1 / (1 + exp(-x)). Its value survives, 1 / inf = 0, but its gradient at "
        "-1000 is 0 * inf = NaN. Keep the exponent at or below 0: 1 / (1 + exp(-x)) for x >= 0, "
        "exp(x) / (1 + exp(x)) below, each fed a clamped x.",
    ),
    Mistake(
        "sigmoid-where-overflows",
        find="""\
    exp_minus = torch.exp(-x.clamp(min=0))
    exp_plus = torch.exp(x.clamp(max=0))""",
        replace="""\
    exp_minus = torch.exp(-x)
    exp_plus = torch.exp(x)""",
        says="Your torch.where picks the stable branch of the sigmoid, but the other one is still computed"
        " and overflows. Backward multiplies its infinite derivative by 0, and that is NaN. Clamp x "
        "on the inside of each branch, so that neither ever sees the other's side.",
    ),
    Mistake(
        "sigmoid-flat-at-zero",
        find="""\
    exp_minus = torch.exp(-x.clamp(min=0))
    exp_plus = torch.exp(x.clamp(max=0))""",
        replace="""\
    exp_minus = torch.exp(-x.abs())
    exp_plus = torch.exp(-x.abs())""",
        says="Your sigmoid goes through what is flat at 0 for autograd: |x|, for example, whose derivative "
        "there is taken for 0. So the gradient at 0 is 0 instead of 1/4. Use x.clamp(min=0) in one branch "
        "and x.clamp(max=0) in the other: the derivative of clamp at its bound is 1.",
    ),
    *(
        Mistake(
            f"sigmoid-clamped-at-{bound}",
            find="    return torch.where(x >= 0, 1 / (1 + exp_minus), exp_plus / (1 + exp_plus))",
            replace=f"    return 1 / (1 + torch.exp(-x.clamp(-{bound}, {bound})))",
            says=f"You clamp x at -{bound} in the sigmoid so that exp does not overflow. Below that it "
            f"stays at {1 / (1 + math.exp(bound)):.0e} and has no gradient, and silu, if it calls it, "
            "is off by x times as much. Only negative x makes exp(-x) overflow: use exp(x) / (1 + exp(x)) "
            "there, with x.clamp(max=0).",
        )
        for bound in (10, 15, 20)
    ),
    Mistake(
        "tanh-as-written",
        find="    return 2 * sigmoid(2 * x) - 1",
        replace="    return (torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x))",
        says="Your tanh is the quotient as written. Both its parts overflow for large |x|, and inf / inf "
        "is NaN (in gelu_tanh too, if that calls it). Use 2 * sigmoid(2 * x) - 1 with a stable sigmoid.",
    ),
    Mistake(
        "leaky-slope-on-the-positive-side",
        find="    return torch.where(x > 0, x, negative_slope * x)",
        replace="    return torch.where(x > 0, negative_slope * x, x)",
        says="You scale the positive side and let the negative one pass. It is the other way round: x "
        "where x > 0, negative_slope * x elsewhere.",
    ),
    Mistake(
        "elu-without-alpha",
        find="    negative = alpha * torch.expm1(x.clamp(max=0))",
        replace="    negative = torch.expm1(x.clamp(max=0))",
        says="You leave alpha out of elu: right for alpha = 1 only. The negative side is alpha * (exp(x) -"
        " 1), which tends to -alpha.",
    ),
    Mistake(
        "elu-where-overflows",
        find="    negative = alpha * torch.expm1(x.clamp(max=0))",
        replace="    negative = alpha * torch.expm1(x)",
        says="Your elu has the right values, but the exponential of the negative side is computed for "
        "large positive x too and overflows. torch.where does not choose it, yet backward multiplies "
        "its infinite derivative by 0: NaN. Clamp its input: expm1(x.clamp(max=0)).",
    ),
    Mistake(
        "gelu-is-the-tanh-form",
        find="    return x * phi",
        replace="    return gelu_tanh(x)",
        says="Your gelu is the tanh approximation, which is off by up to 5e-4. The exact one is x * Phi(x)"
        " with the normal distribution function, 0.5 * (1 + erf(x / sqrt(2))). F.gelu is exact too "
        "unless told otherwise.",
    ),
    Mistake(
        "gelu-tanh-is-the-exact-form",
        find="    return 0.5 * x * (1 + tanh(inner))",
        replace="    return gelu(x)",
        says="Your gelu_tanh is the exact gelu. Asked for is its approximation, 0.5 * x * (1 + tanh(sqrt(2"
        " / pi) * (x + 0.044715 * x**3))): a model that was trained with the one gives slightly "
        "different results with the other.",
    ),
    Mistake(
        "gelu-erf-unscaled",
        find="    phi = 0.5 * (1 + torch.erf(x / math.sqrt(2)))",
        replace="    phi = 0.5 * (1 + torch.erf(x))",
        says="You take erf(x) without dividing x by sqrt(2). erf is the distribution function of a normal "
        "variable of variance 1/2; for variance 1 it is Phi(x) = 0.5 * (1 + erf(x / sqrt(2))).",
    ),
    Mistake(
        "gelu-tanh-scale-on-x-alone",
        find="math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)",
        replace="math.sqrt(2 / math.pi) * x + 0.044715 * x**3",
        says="You multiply only x by sqrt(2 / pi) in gelu_tanh, not the cubic term. Brackets are missing: "
        "sqrt(2 / pi) * (x + 0.044715 * x**3).",
    ),
    Mistake(
        "gelu-tanh-squared",
        find="0.044715 * x**3",
        replace="0.044715 * x**2",
        says="Your gelu_tanh squares x. The correction is cubic, 0.044715 * x**3: it changes its sign with "
        "x, as the argument of the tanh has to.",
    ),
    Mistake(
        "gelu-tanh-wrong-constant",
        find="0.044715 * x**3",
        replace="0.44715 * x**3",
        says="Your cubic term has the factor 0.44715. It is 0.044715, ten times smaller: a small "
        "correction that brings the tanh closer to the normal distribution function.",
    ),
    Mistake(
        "tanh-one-sided",
        find="    return 2 * sigmoid(2 * x) - 1",
        replace="    return (1 - torch.exp(-2 * x)) / (1 + torch.exp(-2 * x))",
        says="Your tanh divides both parts by exp(x), which is safe for large positive x only: exp(-2x) "
        "overflows for large negative x, and -inf / inf is NaN. The exponent must never be positive: "
        "use exp(2x) where x is negative.",
    ),
    *(
        Mistake(
            f"tanh-of-one-exponential{ending}",
            find="    return 2 * sigmoid(2 * x) - 1",
            replace="    return 1 - 2 / (torch.exp(2 * x) + 1)",
            also=edits,
            says="Your tanh is 1 - 2 / (exp(2x) + 1), or the like. For large x the exponential is inf: the "
            "value survives, but its gradient is 0 * inf = NaN. The exponent must never be positive: use "
            "2 * sigmoid(2 * x) - 1 with a stable sigmoid.",
        )
        for ending, edits in (
            ("", ()),
            ("-and-not-in-gelu", (("(1 + tanh(inner))", "(2 * sigmoid(2 * inner))"),)),
        )
    ),
    Mistake(
        "tanh-where-overflows",
        find="    return 2 * sigmoid(2 * x) - 1",
        replace="""\
    above, below = torch.exp(-2 * x), torch.exp(2 * x)
    return torch.where(x >= 0, (1 - above) / (1 + above), (below - 1) / (below + 1))""",
        says="Your torch.where picks the stable branch of the tanh, but the other one is still computed and "
        "overflows. Backward multiplies its infinite derivative by 0, and that is NaN. Bound the exponent "
        "before exp, with x.clamp for example, so that no branch ever sees the other's side.",
    ),
    Mistake(
        "leaky-slope-fixed",
        find="    return torch.where(x > 0, x, negative_slope * x)",
        replace="    return torch.where(x > 0, x, 0.01 * x)",
        says="You write 0.01 into leaky_relu, so negative_slope has no effect. It is the default only: use"
        " the argument.",
    ),
    Mistake(
        "gelu-tanh-root-upside-down",
        find="math.sqrt(2 / math.pi)",
        replace="math.sqrt(math.pi / 2)",
        says="Your scale in gelu_tanh is sqrt(pi / 2). It is sqrt(2 / pi), about 0.798: it makes the slope"
        " of the tanh at 0 that of 2 * Phi(x) - 1.",
    ),
    Mistake(
        "silu-as-written",
        find="    return x * sigmoid(x)",
        replace="    return x / (1 + torch.exp(-x))",
        says="Your silu is x / (1 + exp(-x)). Its value survives the overflow, -1000 / inf = 0, but its "
        "gradient there is 0 * inf = NaN. Multiply x by your stable sigmoid.",
    ),
    Mistake(
        "silu-sigmoid-detached",
        find="    return x * sigmoid(x)",
        replace="    return x * sigmoid(x).detach()",
        says="Your values are right, but the gradient of silu is sigmoid(x) alone, as if the sigmoid were a "
        "constant. x stands in both factors: the gradient is sigmoid(x) + x * sigmoid(x) * "
        "(1 - sigmoid(x)).",
    ),
    Mistake(
        "tanh-without-the-inner-two",
        find="    return 2 * sigmoid(2 * x) - 1",
        replace="    return 2 * sigmoid(x) - 1",
        says="Your tanh is tanh(x / 2): 2 * sigmoid(x) - 1, for example, or exponentials of x where those of "
        "2 x belong. The sigmoid has to be stretched in both directions: 2 * sigmoid(2 * x) - 1.",
    ),
    Mistake(
        "elu-without-minus-one",
        find="    negative = alpha * torch.expm1(x.clamp(max=0))",
        replace="    negative = alpha * torch.exp(x.clamp(max=0))",
        says="Your elu has alpha * exp(x) on the negative side, so it jumps at 0 and is positive "
        "everywhere. It is alpha * (exp(x) - 1), which meets the other side at 0: torch.expm1(x) is "
        "exp(x) - 1.",
    ),
    Mistake(
        "elu-alpha-inside",
        find="    negative = alpha * torch.expm1(x.clamp(max=0))",
        replace="    negative = alpha * torch.exp(x.clamp(max=0)) - 1",
        says="You multiply only the exponential in elu by alpha, so there is a jump at 0 unless alpha is "
        "1. The negative side is alpha * (exp(x) - 1): it starts at 0 and tends to -alpha.",
    ),
    Mistake(
        "gelu-is-the-sigmoid-form",
        find="    return x * phi",
        replace="    return x * sigmoid(1.702 * x)",
        says="Your gelu is x * sigmoid(1.702 * x), the coarse approximation of the same paper, off by up "
        "to 0.02. The exact one is x * 0.5 * (1 + erf(x / sqrt(2))).",
    ),
    Mistake(
        "gelu-tanh-without-the-cubic-term",
        find="(x + 0.044715 * x**3)",
        replace="x",
        says="You leave out the cubic term in gelu_tanh. The tanh gets sqrt(2 / pi) * (x + 0.044715 * "
        "x**3); without the cubic term it only has the right slope at 0.",
    ),
    Mistake(
        "sigmoid-in-float32",
        find="    exp_minus = torch.exp(-x.clamp(min=0))",
        replace="""\
    x = x.float()
    exp_minus = torch.exp(-x.clamp(min=0))""",
        says="Your sigmoid computes in float32 and leaves it at that, so a float64 tensor comes back as "
        "float32. The result has the dtype of x.",
    ),
    Mistake(
        "tanh-flat-at-zero",
        find="    return 2 * sigmoid(2 * x) - 1",
        replace="""\
    exps = torch.exp(-2 * x.abs())
    return torch.sign(x) * (1 - exps) / (1 + exps)""",
        says="Your tanh goes through sign(x) and |x|. Autograd takes 0 for the derivative of both at 0, so "
        "the gradient there is 0 instead of 1. Use 2 * sigmoid(2 * x) - 1 with a stable sigmoid.",
    ),
    Mistake(
        "elu-as-maximum",
        find="""\
    negative = alpha * torch.expm1(x.clamp(max=0))
    return torch.where(x > 0, x, negative)""",
        replace="    return torch.maximum(x, alpha * torch.expm1(x))",
        says="Your elu is the maximum of x and alpha * (exp(x) - 1). exp(x) - 1 is never less than x, so for "
        "positive x you get the exponential too. Choose by the sign of x: torch.where.",
    ),
    Mistake(
        "elu-as-clamped-maximum",
        find="    return torch.where(x > 0, x, negative)",
        replace="    return torch.maximum(x, negative)",
        says="Your elu is the maximum of both sides, which is right for alpha up to 1 only: with a larger "
        "alpha, x itself is the greater one just below 0. Choose by the sign of x: torch.where.",
    ),
    Mistake(
        "elu-blended-with-masks",
        find="""\
    negative = alpha * torch.expm1(x.clamp(max=0))
    return torch.where(x > 0, x, negative)""",
        replace="    return x * (x > 0) + alpha * torch.expm1(x) * (x <= 0)",
        says="Your elu is NaN where x is so large that its exponential overflows: you multiply infinity by "
        "the 0 of a mask, for example. Clamp its input, expm1(x.clamp(max=0)), and choose the side with "
        "torch.where.",
    ),
    Mistake(
        "elu-is-celu",
        find="torch.expm1(x.clamp(max=0))",
        replace="torch.expm1(x.clamp(max=0) / alpha)",
        says="Your elu is CELU: alpha * (exp(x / alpha) - 1) on the negative side, whose slope at 0 is 1 for "
        "every alpha. In elu x is not divided: alpha * (exp(x) - 1). They agree for alpha = 1 only.",
    ),
    Mistake(
        "elu-alpha-on-both-sides",
        find="negative = alpha * torch.expm1(x.clamp(max=0))\n    return ",
        replace="negative = torch.expm1(x.clamp(max=0))\n    return alpha * ",
        says="You multiply both sides of elu by alpha. It scales the negative side alone; above 0 elu is x.",
    ),
]
