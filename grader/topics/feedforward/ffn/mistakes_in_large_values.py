"""Known wrong versions of `ffn` whose activations are right near zero."""

from grader.kit import Mistake

GELU = '    "gelu": F.gelu,'
TANH = '    "gelu_tanh": partial(F.gelu, approximate="tanh"),'
ACTIVATED = "self.activation(hidden)"
INNER = "0.7978845608028654 * (x + 0.044715 * x**3)"
FACTOR = "A bound may stand where a function has reached its limit, in the factor: what is multiplied by it"

MISTAKES = [
    *(
        Mistake(
            f"{id}-of-clamped-values{ending}",
            find=line,
            replace=f'    "{name}": lambda x: F.gelu(x.clamp(-{bound}, {bound}), approximate="{how}"),',
            says=f'Your "{name}" is wrong for large numbers: you clamp its input, for example, and multiply '
            f"the clamped one. {FACTOR} is x as it came.",
        )
        for id, name, how, line in (("gelu", "gelu", "none", GELU), ("gelu-tanh", "gelu_tanh", "tanh", TANH))
        for ending, bound in (("", 20), ("-of-a-few", 8))
    ),
    *(
        Mistake(
            f"hidden-values-clamped{ending}",
            find=ACTIVATED,
            replace=f"self.activation(hidden.clamp(-{bound}, {bound}))",
            says="With all three activations your results are wrong where hidden values are large: you clamp "
            "what up_proj gives, for example. They may have any size, and none of the activations has an "
            "upper bound.",
        )
        for ending, bound in (("", 20), ("-to-a-few", 8), ("-to-thousands", 10_000))
    ),
    Mistake(
        "gelu-tanh-overflows",
        find=TANH,
        replace=f"""\
    "gelu_tanh": lambda x: x * (above := (2 * {INNER}).exp()) / (1 + above),""",
        says='For large numbers your "gelu_tanh" is NaN: your tanh is a quotient of exponentials, for '
        "example, which both become infinite. Take torch.tanh, which does not.",
    ),
    *(
        Mistake(
            f"{id}-leaks-far-below-zero",
            find=line,
            replace=f'    "{name}": lambda x: x * {share},',
            says=f'Far below zero your "{name}" does not go to 0: a small share of z is left, which is large '
            "where z is. A bound stands on the exponent, for example, or on what erf or tanh gets, and is "
            "reached before the factor is 0. Leave the bound out: with erf, tanh or sigmoid it takes none.",
        )
        for id, name, line, share in (
            ("gelu", "gelu", GELU, "(1 + (x / 2**0.5).clamp(-4.5, 4.5).erf()) / 2"),
            ("gelu-tanh", "gelu_tanh", TANH, f"(2 * {INNER}).clamp(-30, 30).sigmoid()"),
        )
    ),
]
