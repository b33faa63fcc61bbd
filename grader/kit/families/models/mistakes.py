"""Mistakes that whole layers share, beside those in their attention.

The solutions keep the order of the norms as `self.norm_first`, and activate in the line `ACTIVATED`.
"""

from grader.kit.mistakes import Mistake

ACTIVATED = "hidden = self.activation(self.up_proj(x))"

NORM_FIRST_IGNORED = Mistake(
    "norm-first-ignored",
    find="self.norm_first = norm_first",
    replace="self.norm_first = False",
    says="Your layer is post-norm whatever norm_first says. With norm_first=True the norms stand before the "
    "parts, and nothing but sums on the residual path.",
)

ALWAYS_PRE_NORM = Mistake(
    "always-pre-norm",
    find="self.norm_first = norm_first",
    replace="self.norm_first = True",
    says="Your layer is pre-norm whatever norm_first says. With norm_first=False, the default, each sum is "
    "normalized: norm1(x + attention(x)).",
)

ORDERS_EXCHANGED = Mistake(
    "orders-exchanged",
    find="self.norm_first = norm_first",
    replace="self.norm_first = not norm_first",
    says="You have the two orders the wrong way round: norm_first=True means that the norms come first, x + "
    "attention(norm1(x)); False is norm1(x + attention(x)).",
)

ACTIVATION_MISSING = Mistake(
    "activation-missing",
    find=ACTIVATED,
    replace="hidden = self.up_proj(x)",
    says="You never apply the activation. Two linear layers in a row are one linear map, so the network "
    "could do nothing that a single smaller matrix does not: activate between up_proj and down_proj.",
)

GELU_BY_TANH = Mistake(
    "gelu-by-the-tanh-approximation",
    find=ACTIVATED,
    replace="""\
hidden = self.up_proj(x)
        is_gelu = self.activation is F.gelu
        hidden = F.gelu(hidden, approximate="tanh") if is_gelu else self.activation(hidden)""",
    says="Your GELU is the tanh approximation, off by up to 5e-4. Asked for is the exact one, x Φ(x) with "
    "erf: the default of F.gelu and nn.GELU.",
)

WRONG_GELUS = tuple(
    Mistake(
        f"gelu-{name}",
        find=ACTIVATED,
        replace=f"""\
hidden = self.up_proj(x)
        is_gelu = self.activation is F.gelu
        hidden = {formula} if is_gelu else self.activation(hidden)""",
        says=says,
    )
    for name, formula, says in (
        (
            "is-silu",
            "F.silu(hidden)",
            "Your GELU is SiLU, x * sigmoid(x). GELU has the distribution function of the normal "
            "distribution in place of the sigmoid: x Φ(x) = x / 2 * (1 + erf(x / sqrt(2))).",
        ),
        (
            "without-the-root",
            "0.5 * hidden * (1 + hidden.erf())",
            "Your GELU has erf(x), as if that were the normal distribution's own integral. Its argument is "
            "scaled: Φ(x) = (1 + erf(x / sqrt(2))) / 2.",
        ),
        (
            "times-the-root",
            "0.5 * hidden * (1 + (hidden * 2**0.5).erf())",
            "Your GELU has erf(x * sqrt(2)). It is erf(x / sqrt(2)): divide by the root.",
        ),
        (
            "without-the-half",
            "hidden * (1 + (hidden / 2**0.5).erf())",
            "Your GELU is twice as large as it should be: x (1 + erf(x / sqrt(2))). Φ is half of that "
            "bracket, so that it lies between 0 and 1.",
        ),
    )
)


def frozen(name: str, line: str) -> Mistake:
    """`line`: the one of the constructor that makes this table, or this parameter."""
    return Mistake(
        f"{name.replace('_', '-')}-frozen",
        find=line,
        replace=f"{line}\n        self.{name}.requires_grad_(False)",
        says=f"No gradient reaches {name}: it is frozen (nn.Embedding.from_pretrained does that, unless you "
        "say freeze=False, as requires_grad=False does), or detached in forward. It is learned like all "
        "other parameters.",
    )


def padding_row(line: str) -> Mistake:
    """`line`: the one that makes the table of tokens, where no token is padding."""
    return Mistake(
        "row-of-padding",
        find=line,
        replace=line.replace("hidden_size)", "hidden_size, padding_idx=0)"),
        says="Where token 0 goes in, its row gets no gradient: padding_idx=0 does not only make the row zero "
        "at first, but keeps gradients away from it. No token is padding here, so leave it out.",
    )


def dropout_in_evaluation(probability: str) -> Mistake:
    """`probability`: where the solution keeps it."""
    return Mistake(
        "dropout-in-evaluation",
        find=f"dropout_p = {probability} if self.training else 0.0",
        replace=f"dropout_p = {probability}",
        says="You drop in evaluation too. The functions know no modes: F.scaled_dot_product_attention drops "
        "whenever dropout_p is above 0, and F.dropout has training=True by default. Pass the probability in "
        "training only; an nn.Dropout module sees to that by itself.",
    )


def dropout_missing(line: str) -> Mistake:
    """`line`: one of the constructor, above which its argument counts for nothing."""
    return Mistake(
        "dropout-missing",
        find=line,
        replace=f"        dropout = 0.0\n{line}",
        says="In training two calls give the same. You never drop anything (or throw the result of "
        "self.dropout(x) away: it returns a new tensor), or the mask is the same in every call, because a "
        "seed is set before, for example. In training mode each call draws anew, with the probability that "
        "the constructor got.",
    )


DROPOUT_BY_DEFAULT = Mistake(
    "dropout-by-default",
    find="dropout: float = 0.0",
    replace="dropout: float = 0.1",
    says="Your default for dropout is 0.1, as in PyTorch's layers, so what is made without this argument "
    "drops in training. Here the default is 0.0, which drops nothing.",
)


def other_eps(*norms: str) -> tuple[Mistake, ...]:
    """The norms of these names, each an nn.LayerNorm(hidden_size) in the solution, with another eps."""
    lines = [f"self.{norm} = nn.LayerNorm(hidden_size)" for norm in norms]
    return tuple(
        Mistake(
            f"eps-{eps}",
            find=lines[0],
            replace=lines[0].replace(")", f", eps={eps})"),
            also=tuple((line, line.replace(")", f", eps={eps})")) for line in lines[1:]),
            says=f"Your norms add {eps} to the variance{like}. Here eps is 1e-5, nn.LayerNorm's default.",
        )
        for eps, like in (
            ("1e-3", ", as Keras' do by default"),
            ("1e-6", ""),
            ("1e-12", ", as BERT's do, or nothing at all"),
        )
    )


LOOP = "for layer in self.layers:"
ONE_LAYER_ALONE = [
    Mistake(
        "first-layer-alone",
        find=LOOP,
        replace="for layer in self.layers[:1]:",
        says="Only your first layer is run. All num_layers are, each on what the one before it gives.",
    ),
    Mistake(
        "last-layer-alone",
        find=LOOP,
        replace="for layer in self.layers[-1:]:",
        says="Only your last layer counts: each gets the embeddings, for example, where x = layer(x) was "
        "meant, and its result takes the place of the one before. Each layer gets what the one before it "
        "gives.",
    ),
]
"""Of models whose solution goes through its layers in that line."""
