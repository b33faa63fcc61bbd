"""Known wrong versions of `activations`: constants that are rounded or mistyped, masks, backward by hand."""

from grader.kit import Mistake

SIGMOID = "    return torch.where(x >= 0, 1 / (1 + exp_minus), exp_plus / (1 + exp_plus))"
TANH = "    return 2 * sigmoid(2 * x) - 1"
ELU = "    return torch.where(x > 0, x, negative)"
PHI = "phi = 0.5 * (1 + torch.erf(x / math.sqrt(2)))"
GELU = "    return x * phi"
GELU_TANH = "    return 0.5 * x * (1 + tanh(inner))"


def by_hand(value: str, slope: str) -> str:
    """Returns `value`, an expression, with the gradient `slope`, another one, in which y is the value."""
    return f"""\
    class ByHand(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = {value}
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, gradient):
            x, y = ctx.saved_tensors
            return gradient * ({slope})

    return ByHand.apply(x)"""


MISTAKES = [
    *(
        Mistake(
            f"gelu-tanh-root-{root}",
            find="math.sqrt(2 / math.pi)",
            replace=root,
            says=f"Your sqrt(2 / pi) in gelu_tanh is {root}. It is 0.79788456…, and results are as "
            "coarse, where tanh is not near ±1. Let the computer work it out: math.sqrt(2 / math.pi).",
        )
        for root in ("0.8", "0.798", "0.7979", "0.7978", "0.79788")
    ),
    *(
        Mistake(
            f"gelu-tanh-factor-{factor}",
            find="0.044715 * x**3",
            replace=f"{factor} * x**3",
            says=f"Your cubic term has the factor {factor}. It is 0.044715.",
        )
        for factor in ("0.0044715", "0.04471", "0.0447", "0.045", "0.04472", "0.04475", "0.04715", "0.044175")
    ),
    *(
        Mistake(
            f"gelu-root-{root}",
            find="x / math.sqrt(2)",
            replace=f"x {operator} {root}",
            says=f"You write {root} in gelu for {what}, so the result is only right to as many digits. Let "
            "the computer work it out: erf(x / math.sqrt(2)).",
        )
        for operator, root, what in (
            ("/", "1.41", "sqrt(2)"),
            ("/", "1.414", "sqrt(2)"),
            ("/", "1.4142", "sqrt(2)"),
            ("*", "0.707", "1 / sqrt(2)"),
            ("*", "0.7071", "1 / sqrt(2)"),
        )
    ),
    Mistake(
        "gelu-erf-of-too-much",
        find="x / math.sqrt(2)",
        replace="x * math.sqrt(2)",
        says="You multiply x by sqrt(2) in front of erf. Divide: Phi(x) = 0.5 * (1 + erf(x / sqrt(2))).",
    ),
    Mistake(
        "gelu-without-the-one",
        find=PHI,
        replace="phi = 0.5 * torch.erf(x / math.sqrt(2))",
        says="Your Phi in gelu is erf / 2, from -1/2 to 1/2. A distribution function goes from 0 to 1: 0.5 * "
        "(1 + erf(x / sqrt(2))).",
    ),
    Mistake(
        "gelu-not-halved",
        find=PHI,
        replace="phi = 1 + torch.erf(x / math.sqrt(2))",
        says="Your Phi in gelu is 1 + erf, which goes from 0 to 2. A distribution function goes from 0 to 1: "
        "halve it.",
    ),
    Mistake(
        "gelu-tanh-without-the-one",
        find=GELU_TANH,
        replace="    return 0.5 * x * tanh(inner)",
        says="Your gelu_tanh is 0.5 * x * tanh(…), as large for -x as for x. The tanh stands for erf: add 1 "
        "to it, so that the factor of x goes from 0 to 1.",
    ),
    Mistake(
        "gelu-tanh-not-halved",
        find=GELU_TANH,
        replace="    return x * (1 + tanh(inner))",
        says="Your gelu_tanh is x * (1 + tanh(…)), which tends to 2 x. Halve it: the factor of x goes from 0 "
        "to 1.",
    ),
    Mistake(
        "sigmoid-blended-with-masks",
        find=SIGMOID,
        replace="""\
    above = (x >= 0).to(x.dtype)
    return above / (1 + torch.exp(-x)) + (1 - above) * torch.exp(x) / (1 + torch.exp(x))""",
        says="Your sigmoid is NaN for large x, and its gradient for large negative ones: a side that is not "
        "taken overflows, and you multiply it by the 0 of a mask, for example. Clamp x on the inside of each "
        "side, and choose one with torch.where.",
    ),
    Mistake(
        "tanh-blended-with-masks",
        find=TANH,
        replace="""\
    side, above, below = (x >= 0).to(x.dtype), torch.exp(-2 * x), torch.exp(2 * x)
    return side * (1 - above) / (1 + above) + (1 - side) * (below - 1) / (below + 1)""",
        says="Your tanh is NaN far from 0: a side that is not taken overflows, and you multiply it by the 0 "
        "of a mask, for example. Clamp x on the inside of each side, and choose one with torch.where.",
    ),
    # Gradients
    Mistake(
        "sigmoid-slope-of-the-input",
        find=SIGMOID,
        replace=by_hand("torch.where(x >= 0, 1 / (1 + exp_minus), exp_plus / (1 + exp_plus))", "x * (1 - x)"),
        says="The gradient of your sigmoid is x * (1 - x). The formula is s * (1 - s), with the output s.",
    ),
    Mistake(
        "sigmoid-twice-as-steep-at-zero",
        find=SIGMOID,
        replace="    return torch.exp(x.clamp(max=0)) / (1 + torch.exp(-x.abs()))",
        says="The gradient of your sigmoid at 0 is 1/2 instead of 1/4: one of its exponentials has none "
        "there, as exp(-|x|), since autograd takes 0 for the derivative of |x| at 0. Let all go through "
        "x.clamp(max=0) or x.clamp(min=0): the derivative of clamp at its bound is 1.",
    ),
    Mistake(
        "tanh-slope-not-squared",
        find=TANH,
        replace=by_hand("2 * sigmoid(2 * x) - 1", "1 - y"),
        says="The gradient of your tanh is 1 - y. It is 1 - y**2, with the output y.",
    ),
    Mistake(
        "tanh-slope-of-the-input",
        find=TANH,
        replace=by_hand("2 * sigmoid(2 * x) - 1", "1 - x**2"),
        says="The gradient of your tanh is 1 - x**2. It is the output that is squared: 1 - tanh(x)**2.",
    ),
    Mistake(
        "tanh-slope-of-the-sigmoid",
        find=TANH,
        replace=by_hand("2 * sigmoid(2 * x) - 1", "y * (1 - y)"),
        says="The gradient of your tanh is y * (1 - y), which is the sigmoid's. It is 1 - y**2.",
    ),
    *(
        Mistake(
            f"silu-slope-{name}",
            find="    return x * sigmoid(x)",
            replace=by_hand("x * sigmoid(x)", slope),
            says=f"The gradient of your silu is {said} (s = sigmoid(x)). By the product rule it is s + x * s "
            "* (1 - s).",
        )
        for name, slope, said in (
            ("with-s-twice", "sigmoid(x) * (1 + x * sigmoid(x))", "s + x * s * s"),
            ("without-s", "sigmoid(x) + x * (1 - sigmoid(x))", "s + x * (1 - s)"),
            ("without-x", "sigmoid(x) + sigmoid(x) * (1 - sigmoid(x))", "s + s * (1 - s)"),
            ("of-the-sigmoid-alone", "x * sigmoid(x) * (1 - sigmoid(x))", "x * s * (1 - s) alone"),
            ("with-y-in-both", "y + y * (1 - y)", "y + y * (1 - y), with the output y"),
            ("with-y-twice", "sigmoid(x) + y * (1 - y)", "s + y * (1 - y), with the output y"),
            ("with-y-first", "y + y * (1 - sigmoid(x))", "y + y * (1 - s), with the output y"),
            ("with-y-for-s", "y + x * y * (1 - y)", "y + x * y * (1 - y), with the output y"),
            ("with-y-behind-x", "sigmoid(x) + x * y * (1 - y)", "s + x * y * (1 - y), with the output y"),
            ("with-y-before-s", "y + sigmoid(x) * (1 - sigmoid(x))", "y + s * (1 - s), with the output y"),
            ("of-y-alone", "y * (1 - y)", "y * (1 - y), with the output y"),
            ("of-s-alone", "sigmoid(x) * (1 - sigmoid(x))", "s * (1 - s), the sigmoid's"),
            ("without-one-minus-s", "sigmoid(x) + y", "s + y, with the output y"),
        )
    ),
    Mistake(
        "elu-flat-at-zero",
        find="torch.expm1(x.clamp(max=0))",
        replace="torch.expm1(torch.where(x < 0, x, torch.zeros_like(x)))",
        says="Your elu has no gradient at 0: x > 0 does not hold there, and what the exponential gets is a "
        "constant (the 0 of where(x < 0, x, 0), or -relu(-x)). For alpha = 1 the gradient at 0 is 1, from "
        "both sides. Use x.clamp(max=0): the derivative of clamp at its bound is 1.",
    ),
    Mistake(
        "elu-slope-of-alpha-1",
        find=ELU,
        replace=by_hand(
            "torch.where(x > 0, x, alpha * torch.expm1(x.clamp(max=0)))",
            "torch.where(x > 0, torch.ones_like(x), torch.exp(x.clamp(max=0)))",
        ),
        says="The gradient of your elu is exp(x) on the negative side, right for alpha = 1 only. It is alpha "
        "* exp(x).",
    ),
    Mistake(
        "elu-slope-is-its-value",
        find=ELU,
        replace=by_hand(
            "torch.where(x > 0, x, alpha * torch.expm1(x.clamp(max=0)))",
            "torch.where(x > 0, torch.ones_like(x), y)",
        ),
        says="The gradient of your elu on the negative side is its value, alpha * (exp(x) - 1). The "
        "derivative of that is alpha * exp(x): the value plus alpha.",
    ),
    Mistake(
        "leaky-slope-lost-backwards",
        find="    return torch.where(x > 0, x, negative_slope * x)",
        replace=by_hand("torch.where(x > 0, x, negative_slope * x)", "(x > 0).to(x.dtype)"),
        says="Your leaky_relu has relu's gradient, 0 on the negative side. It is negative_slope there.",
    ),
    Mistake(
        "gelu-phi-detached",
        find=GELU,
        replace="    return x * phi.detach()",
        says="Your gelu has the right values, but Phi is taken for a constant, so the gradient is Phi(x) "
        "alone. x stands in both factors: Phi(x) + x * exp(-x**2 / 2) / sqrt(2 * pi).",
    ),
    *(
        Mistake(
            f"gelu-density-{name}",
            find=GELU,
            replace=by_hand("x * phi", f"phi + x * {density}"),
            says=f"In the gradient of your gelu the density is {said}. That of a normal variable, which x is "
            "multiplied by beside Phi(x), is exp(-x**2 / 2) / sqrt(2 * pi).",
        )
        for name, density, said in (
            ("without-its-factor", "torch.exp(-(x**2) / 2)", "exp(-x**2 / 2) alone"),
            ("over-the-root-of-2", "torch.exp(-(x**2) / 2) / math.sqrt(2)", "exp(-x**2 / 2) / sqrt(2)"),
            ("over-2-pi", "torch.exp(-(x**2) / 2) / (2 * math.pi)", "exp(-x**2 / 2) / (2 * pi)"),
            ("not-halved", "torch.exp(-(x**2)) / math.sqrt(2 * math.pi)", "exp(-x**2) / sqrt(2 * pi)"),
        )
    ),
    *(
        Mistake(
            f"gelu-tanh-slope-{name}",
            find=GELU_TANH,
            replace=by_hand(
                "0.5 * x * (1 + tanh(inner))",
                "0.5 * (1 + tanh(inner)) + 0.5 * x * (1 - tanh(inner) ** 2)" + slope,
            ),
            says=f"In the gradient of your gelu_tanh {said}. The inner function's is sqrt(2 / pi) * (1 + 3 * "
            "0.044715 * x**2), by which 1 - tanh**2 is multiplied.",
        )
        for name, slope, said in (
            ("without-the-inner-one", "", "the inner function's derivative is missing"),
            (
                "without-the-three",
                " * math.sqrt(2 / math.pi) * (1 + 0.044715 * x**2)",
                "the cubic term's derivative lacks its 3",
            ),
            (
                "without-the-root",
                " * (1 + 3 * 0.044715 * x**2)",
                "the inner function's derivative lacks sqrt(2 / pi)",
            ),
        )
    ),
    *(
        Mistake(
            f"leaky-slope-of-{name}-by-default",
            find="negative_slope: float = 0.01",
            replace=f"negative_slope: float = {slope}",
            says=f"The slope of your leaky_relu is {slope} if none is given. Its default is 0.01.",
        )
        for name, slope in (("a-tenth", 0.1), ("a-fifth", 0.2))
    ),
    Mistake(
        "gelu-tanh-sigmoid-without-the-two",
        find=GELU_TANH,
        replace="    return x * sigmoid(inner)",
        says="Your gelu_tanh is x * sigmoid(inner). 0.5 * (1 + tanh(u)) is sigmoid(2 * u): the argument is "
        "doubled.",
    ),
    Mistake(
        "elu-slope-is-its-value-plus-1",
        find=ELU,
        replace=by_hand(
            "torch.where(x > 0, x, alpha * torch.expm1(x.clamp(max=0)))",
            "torch.where(x > 0, torch.ones_like(x), y + 1)",
        ),
        says="The gradient of your elu on the negative side is its value plus 1, right for alpha = 1 only. "
        "It is the value plus alpha: alpha * exp(x).",
    ),
    Mistake(
        "elu-twice-as-steep-at-zero",
        find=ELU,
        replace="    return x.clamp(min=0) + negative",
        says="At 0 the gradient of your elu is 2, with alpha = 1: it is a sum of two parts, x.clamp(min=0) "
        "and one of x.clamp(max=0), for example, and at its bound clamp passes the gradient on. For alpha = "
        "1 the gradient at 0 is 1. Choose between the two with torch.where.",
    ),
]
