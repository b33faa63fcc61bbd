"""Known wrong versions of `ffn`."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes
from grader.kit.families.feedforward import (
    ACTIVATION_IGNORED,
    BACKWARD_FORGETS_THE_MASK,
    DROPOUT_BY_DEFAULT,
    DROPOUT_IN_EVALUATION,
    DROPOUT_IN_WHOLE_PERCENTS,
    DROPOUT_KEEPS_THAT_SHARE,
    DROPOUT_MISSING,
    DROPOUT_NOT_RESCALED,
    DROPOUT_OF_WHOLE_TOKENS,
    DROPOUT_SCALED_IN_EVALUATION,
    DROPOUT_SHARED_BY_SEQUENCES,
    DROPOUT_SHARED_BY_TOKENS,
    GELU_BY_DEFAULT,
    RESIDUAL_ADDED,
    UNKNOWN_ACTIVATION_ACCEPTED,
    UNKNOWN_ACTIVATION_IS_A_KEY_ERROR,
    VECTOR_AS_A_ROW,
    dropout_on_the_hidden_layer,
    three_dimensions_unpacked,
)

MISTAKES = [
    Mistake(
        "activation-missing",
        find="""\
        hidden = self.activation(hidden)
""",
        replace="",
        says="You never apply the activation. Two linear layers in a row are one linear map, so the network "
        "could do nothing that a single smaller matrix does not: activate between up_proj and down_proj.",
    ),
    Mistake(
        "activation-on-the-output",
        find="""\
        hidden = self.activation(hidden)
        output = self.down_proj(hidden)  # (..., hidden_size)""",
        replace="        output = self.activation(self.down_proj(hidden))",
        says="You activate after down_proj. Between the two layers nothing bends then, so they are one "
        "linear map. The activation stands between up_proj and down_proj, and the output has none.",
    ),
    Mistake(
        "activation-twice",
        find="        output = self.down_proj(hidden)  # (..., hidden_size)",
        replace="        output = self.activation(self.down_proj(hidden))",
        says="You apply the activation to the output as well. It stands between the two layers only: the "
        "output is added to the residual stream, and has to be able to lower it freely.",
    ),
    Mistake(
        "gelu-by-the-tanh-approximation",
        find='    "gelu": F.gelu,',
        replace='    "gelu": partial(F.gelu, approximate="tanh"),',
        says='Your "gelu" is the tanh approximation. It is off by up to 5e-4: asked for under this name is '
        'the exact x Φ(x), with erf (F.gelu as it is); the approximation has the name "gelu_tanh".',
    ),
    Mistake(
        "gelu-without-the-root-of-two",
        find='    "gelu": F.gelu,',
        replace='    "gelu": lambda x: 0.5 * x * (1 + x.erf()),',
        says='Your "gelu" is x (1 + erf(x)) / 2. The distribution function of the normal distribution is '
        "(1 + erf(x / sqrt(2))) / 2: divide by sqrt(2) inside.",
    ),
    Mistake(
        "gelu-tanh-is-exact",
        find='    "gelu_tanh": partial(F.gelu, approximate="tanh"),',
        replace='    "gelu_tanh": F.gelu,',
        says='Your "gelu_tanh" is the exact GELU. F.gelu approximates only with approximate="tanh". A model '
        "trained with one of the two should run with the same one.",
    ),
    Mistake(
        "gelu-kinds-swapped",
        find="""\
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),""",
        replace="""\
    "gelu": partial(F.gelu, approximate="tanh"),
    "gelu_tanh": F.gelu,""",
        says='You have the two GELUs the wrong way round: "gelu" is the exact one, with erf, and "gelu_tanh" '
        "the approximation.",
    ),
    Mistake(
        "gelu-by-sigmoid",
        find='    "gelu": F.gelu,',
        replace='    "gelu": lambda x: x * (1.702 * x).sigmoid(),',
        says='Your "gelu" is x * sigmoid(1.702 x), a rougher approximation, off by up to 0.02. The exact one '
        "is x Φ(x) = x / 2 * (1 + erf(x / sqrt(2))).",
    ),
    Mistake(
        "gelu-tanh-by-sigmoid",
        find='    "gelu_tanh": partial(F.gelu, approximate="tanh"),',
        replace='    "gelu_tanh": lambda x: x * (1.702 * x).sigmoid(),',
        says='Your "gelu_tanh" is x * sigmoid(1.702 x), another, rougher approximation, off by up to 0.02. '
        "The one with tanh is x / 2 * (1 + tanh(sqrt(2 / π) * (x + 0.044715 x³))).",
    ),
    Mistake(
        "gelu-tanh-constant",
        find='    "gelu_tanh": partial(F.gelu, approximate="tanh"),',
        replace="""\
    "gelu_tanh": lambda x: 0.5 * x * (1 + (0.7978845608 * (x + 0.44715 * x**3)).tanh()),""",
        says='The constant in your "gelu_tanh" is 0.44715, a zero short: it is 0.044715, in '
        "x / 2 * (1 + tanh(sqrt(2 / π) * (x + 0.044715 x³))).",
    ),
    Mistake(
        "gelu-tanh-constant-with-the-wrong-digits",
        find='    "gelu_tanh": partial(F.gelu, approximate="tanh"),',
        replace="""\
    "gelu_tanh": lambda x: 0.5 * x * (1 + (0.7978845608 * (x + 0.047715 * x**3)).tanh()),""",
        says='The constant in your "gelu_tanh" has another digit, 0.047715: it is 0.044715, in '
        "x / 2 * (1 + tanh(sqrt(2 / π) * (x + 0.044715 x³))).",
    ),
    Mistake(
        "gelu-tanh-root-of-two-alone",
        find='    "gelu_tanh": partial(F.gelu, approximate="tanh"),',
        replace="""\
    "gelu_tanh": lambda x: 0.5 * x * (1 + (2**0.5 / 3.141592653589793 * (x + 0.044715 * x**3)).tanh()),""",
        says='The factor in your "gelu_tanh" is sqrt(2) / π. The root is of both, sqrt(2 / π), in '
        "x / 2 * (1 + tanh(sqrt(2 / π) * (x + 0.044715 x³))).",
    ),
    *(
        Mistake(
            id,
            find='    "gelu_tanh": partial(F.gelu, approximate="tanh"),',
            replace=f"""\
    "gelu_tanh": lambda x: 0.5 * x * (1 + ({inner}).tanh()),""",
            says=f'{what} In "gelu_tanh" the tanh gets sqrt(2 / π) * (x + 0.044715 x³).',
        )
        for id, inner, what in [
            (
                "gelu-tanh-root-for-x-alone",
                "0.7978845608028654 * x + 0.044715 * x**3",
                "You multiply x alone by sqrt(2 / π), and not the cubic term: brackets are missing.",
            ),
            (
                "gelu-tanh-squared",
                "0.7978845608028654 * (x + 0.044715 * x**2)",
                "You square x where its cube belongs: unlike a square, that changes its sign with x.",
            ),
            (
                "gelu-tanh-without-the-cubic-term",
                "0.7978845608028654 * x",
                "You leave out the cubic term.",
            ),
        ]
    ),
    GELU_BY_DEFAULT,
    ACTIVATION_IGNORED,
    UNKNOWN_ACTIVATION_ACCEPTED,
    UNKNOWN_ACTIVATION_IS_A_KEY_ERROR,
    Mistake(
        "biases-left-out",
        find="""\
        self.up_proj = nn.Linear(hidden_size, intermediate_size)
        self.activation = _ACTIVATIONS[activation]
        self.down_proj = nn.Linear(intermediate_size, hidden_size)""",
        replace="""\
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=False)
        self.activation = _ACTIVATIONS[activation]
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=False)""",
        says="Your layers have no biases. Llama and T5 leave them out, but the original network has them, "
        "and here they are asked for: nn.Linear has one unless bias=False says otherwise.",
    ),
    dropout_on_the_hidden_layer(
        """\
        hidden = self.activation(hidden)
        output = self.down_proj(hidden)  # (..., hidden_size)
        return self.dropout(output)""",
        """\
        hidden = self.dropout(self.activation(hidden))
        return self.down_proj(hidden)""",
    ),
    Mistake(
        "dropout-twice",
        find="        hidden = self.activation(hidden)",
        replace="        hidden = self.dropout(self.activation(hidden))",
        says="You apply the dropout twice, to the hidden layer and to the output. nn.TransformerEncoderLayer "
        "does, but here it acts on the output only, after down_proj.",
    ),
    DROPOUT_MISSING,
    DROPOUT_IN_EVALUATION,
    DROPOUT_KEEPS_THAT_SHARE,
    BACKWARD_FORGETS_THE_MASK,
    DROPOUT_SCALED_IN_EVALUATION,
    DROPOUT_NOT_RESCALED,
    DROPOUT_OF_WHOLE_TOKENS,
    DROPOUT_SHARED_BY_SEQUENCES,
    DROPOUT_SHARED_BY_TOKENS,
    DROPOUT_IN_WHOLE_PERCENTS,
    DROPOUT_BY_DEFAULT,
    RESIDUAL_ADDED,
    Mistake(
        "vector-flattened",
        find="        hidden = self.up_proj(x)  # (..., intermediate_size)",
        replace="        hidden = self.up_proj(x.flatten(0, -2)).unflatten(0, x.shape[:-1])",
        says="Your network raises where x has no leading dimensions: it asks for dimension -2, which a "
        "single vector does not have. Any number of them is allowed, also none: nn.Linear takes x as it is.",
    ),
    three_dimensions_unpacked("        hidden = self.up_proj(x)"),
    Mistake(
        "input-normalized",
        find="self.up_proj(x)",
        replace="self.up_proj(F.layer_norm(x, x.shape[-1:]))",
        says="You normalize the input. The norm belongs to the transformer block around the network (before "
        "it in pre-LN, behind the residual in post-LN), and has parameters of its own.",
    ),
    instance_mistakes.kept_on_the_class(
        "        self.activation = _ACTIVATIONS[activation]\n", "the activation"
    ),
    VECTOR_AS_A_ROW,
]
