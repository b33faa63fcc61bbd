"""Known wrong versions of `ffn`: other functions as activations, and which names are known."""

from grader.kit import Mistake

RELU, GELU = '    "relu": F.relu,', '    "gelu": F.gelu,'
TANH = '    "gelu_tanh": partial(F.gelu, approximate="tanh"),'
UP = "self.up_proj = nn.Linear(hidden_size, intermediate_size)"
DOWN = "self.down_proj = nn.Linear(intermediate_size, hidden_size)"

MISTAKES = [
    Mistake(
        "gelu-is-silu",
        find=GELU,
        replace='    "gelu": F.silu,',
        says='Your "gelu" is SiLU, x * sigmoid(x). GELU has the distribution function of the normal '
        "distribution in place of the sigmoid: x Φ(x) = x / 2 * (1 + erf(x / sqrt(2))).",
    ),
    Mistake(
        "gelu-without-the-half",
        find=GELU,
        replace='    "gelu": lambda x: x * (1 + (x / 2**0.5).erf()),',
        says='Your "gelu" is twice as large as it should be: x (1 + erf(x / sqrt(2))). Φ is half of '
        "that bracket, so that it lies between 0 and 1.",
    ),
    Mistake(
        "gelu-times-the-root-of-two",
        find=GELU,
        replace='    "gelu": lambda x: 0.5 * x * (1 + (x * 2**0.5).erf()),',
        says='Your "gelu" has erf(x * sqrt(2)). It is erf(x / sqrt(2)): divide by the root.',
    ),
    Mistake(
        "gelu-tanh-without-the-half",
        find=TANH,
        replace='    "gelu_tanh": lambda x: x * (1 + (0.7978845608028654 * (x + 0.044715 * x**3)).tanh()),',
        says='Your "gelu_tanh" is twice as large as it should be: the half in front of it is missing. '
        "It is x / 2 * (1 + tanh(sqrt(2 / π) * (x + 0.044715 x³))).",
    ),
    Mistake(
        "gelu-tanh-without-the-root",
        find=TANH,
        replace='    "gelu_tanh": lambda x: 0.5 * x * (1 + (0.6366197724 * (x + 0.044715 * x**3)).tanh()),',
        says='The factor in your "gelu_tanh" is 2 / π. Its root belongs there: sqrt(2 / π).',
    ),
    Mistake(
        "gelu-tanh-digits-exchanged",
        find=TANH,
        replace='    "gelu_tanh": lambda x: x / 2 * (1 + (0.7978845608 * (x + 0.044175 * x**3)).tanh()),',
        says='The cubic term of your "gelu_tanh" has the factor 0.044175: two digits are exchanged. It is '
        "0.044715.",
    ),
    Mistake(
        "relu-leaks",
        find=RELU,
        replace='    "relu": F.leaky_relu,',
        says='Your "relu" lets a hundredth of negative numbers through, as F.leaky_relu does. ReLU '
        "gives 0 for them.",
    ),
    Mistake(
        "relu-up-to-six",
        find=RELU,
        replace='    "relu": F.relu6,',
        says='Your "relu" ends at an upper bound, at 6 as F.relu6 does, for example. ReLU has none.',
    ),
    Mistake(
        "activation-on-the-input",
        find="        hidden = self.up_proj(x)  # (..., intermediate_size)\n",
        replace="        hidden = self.up_proj(self.activation(x))\n",
        says="You activate x before up_proj, and after it once more. The activation stands between the "
        "two layers alone.",
    ),
    Mistake(
        "activation-on-the-input-alone",
        find="        hidden = self.up_proj(x)  # (..., intermediate_size)\n",
        replace="        hidden = self.up_proj(self.activation(x))\n",
        also=(("        hidden = self.activation(hidden)\n", ""),),
        says="You activate x, before up_proj. Between the two layers nothing bends then, so they are "
        "one linear map: the activation stands between up_proj and down_proj.",
    ),
    Mistake(
        "unknown-activation-is-not-implemented",
        find="raise ValueError(",
        replace="raise NotImplementedError(",
        says="An unknown activation raises a NotImplementedError in your constructor. It is the "
        "argument that is wrong: raise a ValueError.",
    ),
    Mistake(
        "activation-in-capitals-accepted",
        find="if activation not in _ACTIVATIONS:",
        replace="if activation.lower() not in _ACTIVATIONS:",
        also=(("_ACTIVATIONS[activation]", "_ACTIVATIONS[activation.lower()]"),),
        says='Your constructor accepts "ReLU", which is not one of the three words: you compare '
        "without regard to capitals, for example. Any other word raises a ValueError.",
    ),
    Mistake(
        "activation-taken-apart",
        find="if activation not in _ACTIVATIONS:",
        replace='if activation not in (*_ACTIVATIONS, "gelu_none", "relu_tanh"):',
        also=(("= _ACTIVATIONS[activation]", "= _ACTIVATIONS.get(activation, F.relu)"),),
        says="Your constructor accepts words that are put together of known parts, gelu_none and relu_tanh: "
        "you look at what stands before the underscore and behind it, for example. Compare the whole word.",
    ),
    Mistake(
        "activation-by-its-beginning",
        find="if activation not in _ACTIVATIONS:",
        replace="if not activation.startswith(tuple(_ACTIVATIONS)):",
        also=(("= _ACTIVATIONS[activation]", "= _ACTIVATIONS.get(activation, F.relu)"),),
        says="Your constructor accepts words that only begin like one of the three, gelu_new and relu6. "
        "Compare the whole word.",
    ),
    Mistake(
        "activation-by-a-part-of-a-word",
        find="if activation not in _ACTIVATIONS:",
        replace='if activation not in "relu gelu gelu_tanh":',
        also=(("= _ACTIVATIONS[activation]", "= _ACTIVATIONS.get(activation, F.relu)"),),
        says='Your constructor accepts a part of a word, "elu": `in` a str, for example, asks whether it '
        "stands anywhere in it. Ask it of a tuple or a dict of the three.",
    ),
    Mistake(
        "relu-squared",
        find=RELU,
        replace='    "relu": lambda x: F.relu(x).square(),',
        says='Your "relu" is squared, as in Primer. ReLU passes positive numbers as they are.',
    ),
    Mistake(
        "bias-left-out-of-the-first",
        find=UP,
        replace=UP.replace("size)", "size, bias=False)"),
        says="Your up_proj has no bias. Both layers have one: nn.Linear as it is.",
    ),
    Mistake(
        "bias-left-out-of-the-second",
        find=DOWN,
        replace=DOWN.replace("size)", "size, bias=False)"),
        says="Your down_proj has no bias. Both layers have one: nn.Linear as it is.",
    ),
    Mistake(
        "four-times-as-wide",
        find=UP,
        replace=UP.replace("intermediate_size", "4 * hidden_size"),
        also=((DOWN, DOWN.replace("intermediate_size", "4 * hidden_size")),),
        says="Your hidden layer is 4 * hidden_size wide, whatever intermediate_size is. That ratio is "
        "usual, but the width is given: take it as it is.",
    ),
    Mistake(
        "unknown-activation-is-a-type-error",
        find="raise ValueError(",
        replace="raise TypeError(",
        says="An unknown activation raises a TypeError in your constructor. It is a str as it should "
        "be, of which the value is wrong: raise a ValueError.",
    ),
    Mistake(
        "unknown-activation-is-an-attribute-error",
        find="raise ValueError(",
        replace="raise AttributeError(",
        says="An unknown activation ends in an AttributeError in your constructor, for example because "
        "its function is looked up in a module. Look first whether it is one of the three words, "
        "and raise a ValueError.",
    ),
    *(
        Mistake(
            f"{name}-in-{mode.replace(' ', '-')}",
            find="        hidden = self.activation(hidden)\n",
            replace=f"        act = {code}\n        hidden = self.activation(hidden) if {other} else act\n",
            says=f"In {mode} your activation is {name}, whatever the constructor was told. Dropout is all "
            "that the two modes differ in.",
        )
        for mode, other in (
            ("evaluation", "self.training"),
            ("training with dropout", "not self.training or self.dropout.p == 0"),
        )
        for name, code in (("relu", "F.relu(hidden)"), ("gelu", "F.gelu(hidden)"))
    ),
]
