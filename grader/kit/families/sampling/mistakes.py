"""Mistakes that samplers share. `call` is that of the filter: `top_k_filter(logits / temperature, k)`."""

from dataclasses import replace

from grader.kit.mistakes import Mistake


def large_negatives_instead_of_infinity(fill: str) -> list[Mistake]:
    """`fill`: the expression that removes with -math.inf."""
    return [
        Mistake(
            f"large-negative-instead-of-infinity{ending}",
            find=fill,
            replace=fill.replace("-math.inf", number),
            says="You fill in a large negative number. Beside logits of that size its probability is not 0: "
            "-inf is exactly 0 after the softmax whatever the others are, and the contract asks for it.",
        )
        for ending, number in (
            ("", "-1e9"),
            *((number, number) for number in ("-1e4", "-1e5", "-1e6", "-1e7", "-1e8", "-1e10", "-1e12")),
            *((number, number) for number in ("-1e20", "-1e30")),
            ("-of-the-dtype", "torch.finfo(logits.dtype).min"),
        )
    ]


def zeros_instead_of_infinity(fill: str) -> Mistake:
    """`fill`: the expression that removes with -math.inf."""
    return Mistake(
        "zeros-instead-of-infinity",
        find=fill,
        replace=fill.replace("-math.inf", "0.0"),
        says="You set the removed logits to 0. That is no zero probability: exp(0) = 1, often more than the "
        "kept ones have. -inf is exactly 0 after the softmax.",
    )


def temperature_multiplied(call: str) -> Mistake:
    return Mistake(
        "temperature-multiplied",
        find=f"filtered = {call}",
        replace=f"filtered = {call.replace('logits / temperature', 'logits * temperature')}",
        says="You multiply by the temperature, so a high one makes the draw more certain. Divide: a high "
        "temperature flattens the distribution.",
    )


def temperature_divided_in_place(call: str) -> Mistake:
    return Mistake(
        "temperature-divided-in-place",
        find=f"filtered = {call}",
        replace=f"filtered = {call.replace('logits / temperature', 'logits.div_(temperature)')}",
        says="You divide the caller's logits in place. The argument must stay as it is: logits / "
        "temperature makes a new tensor.",
    )


TEMPERATURE_ZERO = Mistake(
    "temperature-zero",
    find="""\
    if temperature == 0:
        return logits.argmax(dim=-1)
""",
    replace="",
    says="You divide by a temperature of 0, which makes infinite logits and NaN probabilities. Temperature "
    "0 means the most probable token: return the argmax.",
)

TEMPERATURE_FLOORED = Mistake(
    "temperature-floored",
    find="""\
    if temperature == 0:
        return logits.argmax(dim=-1)
""",
    replace="    temperature = max(temperature, 1e-5)\n",
    says="You replace a temperature of 0 by a tiny one. Tokens whose logits are about as close as that "
    "are then still drawn by chance. Return the argmax: it needs no draw.",
)

LOW_TEMPERATURES_TAKEN_FOR_ZERO = Mistake(
    "low-temperatures-taken-for-zero",
    find="if temperature == 0:",
    replace="if temperature < 0.1:",
    says="You take small temperatures for 0. Only 0 means the most probable token: above it tokens are "
    "drawn.",
)


def low_temperatures_raised(call: str) -> Mistake:
    return Mistake(
        "low-temperatures-raised",
        find=f"filtered = {call}",
        replace=f"filtered = {call.replace('/ temperature', '/ max(temperature, 0.1)')}",
        says="You divide by no less than a bound, 0.1 for example, so a temperature below it draws as the "
        "bound does. Any temperature above 0 is divided by as it is.",
    )


SEED_SET = Mistake(
    "seed-set",
    find="    tokens = torch.multinomial(",
    replace="    torch.manual_seed(0)\n    tokens = torch.multinomial(",
    says="You set PyTorch's global seed before you draw, so without a generator every call gives the same "
    "tokens. Draw on from the state in which the generator is.",
)

_AGAIN = """\
    source = torch.default_generator if generator is None else generator
    {}generator = torch.Generator(source.device).manual_seed(source.initial_seed())
    tokens = torch.multinomial("""

NEVER_MOVED_ON = (
    Mistake(
        "source-never-moved-on",
        find="    tokens = torch.multinomial(",
        replace=_AGAIN.format(""),
        says="Drawing does not move your source on, neither the generator nor PyTorch's global one: every "
        "call begins at the same place, and gives the same tokens again. For example, each call makes a "
        "generator of its own from the seed of the one it has, or from its state, as a key of JAX is used. "
        "Draw with the generator itself.",
    ),
    Mistake(
        "drawn-from-a-copy-of-the-generator",
        find="    tokens = torch.multinomial(",
        replace=_AGAIN.format("if generator is not None:\n        "),
        says="Drawing does not move the generator on: every call with it begins at the same place, and gives "
        "the same tokens again. For example, each call makes a generator of its own from its seed, or from "
        "its state. Draw with the generator itself.",
    ),
)

NEGATIVE_TEMPERATURE_ACCEPTED = Mistake(
    "negative-temperature-accepted",
    find="""\
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, not {temperature}")""",
    replace="",
    says="You accept a temperature below 0, which would make the least probable token the most probable "
    "one. Raise a ValueError.",
)


def probabilities_over_rows(softmax: str, instead: str) -> Mistake:
    """`softmax`: the expression; `instead`: the same over the first dimension."""
    return Mistake(
        "probabilities-over-rows",
        find=softmax,
        replace=instead,
        says="Your softmax runs over the first dimension, the rows of the batch (right for a single row "
        "only). Every row is a distribution over the vocabulary: softmax over the last dimension.",
    )


DRAWN_UNFILTERED = Mistake(
    "drawn-unfiltered",
    find="probs = torch.softmax(filtered, dim=-1)",
    replace="probs = torch.softmax(logits / temperature, dim=-1)",
    says="Your sampler draws from all tokens: what the filter returns is never used (it makes a new tensor, "
    "and leaves its argument as it is). Draw from the softmax of the filtered logits.",
)

ONE_DRAW_FOR_ALL_ROWS = Mistake(
    "one-draw-for-all-rows",
    find="torch.multinomial(rows, num_samples=1, generator=generator)",
    replace="(rows.cumsum(-1) < torch.rand(1, generator=generator)).sum(-1, keepdim=True)",
    says="Your rows share their random numbers (one for the whole batch, for example, or one for each "
    "token), so rows that are equal always draw the same token. Every row needs its own: a number for each "
    "row, or noise of the shape of the logits. torch.multinomial does it for you.",
)

ARGMAX_INSTEAD_OF_A_DRAW = Mistake(
    "argmax-instead-of-a-draw",
    find="torch.multinomial(rows, num_samples=1, generator=generator)",
    replace="rows.argmax(dim=-1, keepdim=True)",
    says="You draw nothing: every call gives the same token, as at temperature 0. Draw from the "
    "probabilities that are left after the filter, with torch.multinomial, say.",
)

GENERATOR_IGNORED = Mistake(
    "generator-ignored",
    find="num_samples=1, generator=generator",
    replace="num_samples=1",
    says="You never use the generator, so a draw cannot be repeated. Pass it on to torch.multinomial (or "
    "whatever draws).",
)

GENERATOR_IGNORED_FOR_A_SINGLE_ROW = Mistake(
    "generator-ignored-for-a-single-row",
    find="num_samples=1, generator=generator",
    replace="num_samples=1, generator=generator if logits.dim() > 1 else None",
    says="For logits of shape (vocab,) the same state of the generator gives other tokens: a branch of "
    "their own does not pass it on, for example. It is the source of all randomness, of a single "
    "row's too.",
)


def in_half_precision(expression: str, instead: str) -> Mistake:
    """`expression`: what the kept tokens are found by; `instead`: the same in float16."""
    return Mistake(
        "in-half-precision",
        find=expression,
        replace=instead,
        says="Of a vocabulary of thousands you keep a token too many or too few: for example, you compare or "
        "add up in half precision, which has three digits. Stay in the dtype of the logits.",
    )


COARSE_DRAWS = Mistake(
    "coarse-draws",
    find="torch.multinomial(rows, num_samples=1, generator=generator)",
    replace="""\
torch.searchsorted(
        rows.cumsum(-1),
        ((torch.randint(1024, (len(rows), 1), generator=generator) + 0.5) / 1024).to(rows.dtype),
    ).clamp(max=rows.shape[-1] - 1)""",
    says="Many tokens of a small probability never come, others too often: for example, you draw by a number "
    "of a thousand different values only (of few bits, in half precision, or rounded), which steps over "
    "them. Most of a vocabulary is as rare as that. torch.rand in float32 is fine enough.",
)

FIRST_ROW_FOR_ALL = Mistake(
    "first-row-for-all",
    find="torch.multinomial(rows, num_samples=1, generator=generator)",
    replace="torch.multinomial(rows[0], num_samples=len(rows), replacement=True, generator=generator)",
    says="You draw every row's token from the first row's distribution, which is right for a batch of one "
    "only. Flatten the leading dimensions and draw one token from each row.",
)

LEADING_DIMENSIONS_NOT_FLATTENED = Mistake(
    "leading-dimensions-not-flattened",
    find="""\
    rows = probs.reshape(-1, probs.shape[-1])  # multinomial takes one or two dimensions
    tokens = torch.multinomial(rows, num_samples=1, generator=generator)  # (rows, 1)
    return tokens.reshape(logits.shape[:-1])""",
    replace="    return torch.multinomial(probs, num_samples=1, generator=generator).squeeze(-1)",
    says="torch.multinomial takes one or two dimensions, so logits with more leading dimensions fail. "
    "Flatten these to rows, draw, and give the tokens the leading shape again.",
)

DRAWN_DIMENSION_LEFT = Mistake(
    "drawn-dimension-left",
    find="    return tokens.reshape(logits.shape[:-1])",
    replace="    return tokens",
    says="You leave multinomial's last dimension, one draw per row, in the result. The tokens have the "
    "leading shape of the logits: reshape to logits.shape[:-1] (or squeeze(-1)).",
)

TOKENS_LEFT_FLAT = Mistake(
    "tokens-left-flat",
    find="    return tokens.reshape(logits.shape[:-1])",
    replace="    return tokens.squeeze(-1)",
    says="You return one flat row of tokens, however many leading dimensions there are (even none). The "
    "tokens have the leading shape of the logits: reshape to logits.shape[:-1].",
)

LEADING_ONES_SQUEEZED = Mistake(
    "leading-ones-squeezed",
    find="    return tokens.reshape(logits.shape[:-1])",
    replace="    return tokens.reshape(logits.shape[:-1]).squeeze()",
    says="You squeeze away every dimension of size 1, leading ones too: a batch of one row gives a token "
    "without a batch dimension. Take away the last only: squeeze(-1).",
)

ONE_ROW_GIVES_A_VECTOR = Mistake(
    "one-row-gives-a-vector",
    find="    return tokens.reshape(logits.shape[:-1])",
    replace="    return tokens.reshape(logits.shape[:-1] or (1,))",
    says="For logits of shape (vocab,) you return a token of shape (1,), as torch.multinomial gives it. One "
    "row without leading dimensions gives a 0-dimensional tensor: squeeze(-1), or reshape to "
    "logits.shape[:-1].",
)


def nothing_kept(mistake: Mistake) -> Mistake:
    """The same mistake in a sampler that draws with noise. Of rows in which nothing is kept (or all is NaN)
    this takes the first token, where torch.multinomial raises."""
    draw = (
        "torch.multinomial(rows, num_samples=1, generator=generator)",
        "(rows / torch.empty_like(rows).exponential_(generator=generator)).argmax(-1, keepdim=True)",
    )
    return replace(mistake, id=f"{mistake.id}-drawn-with-noise", also=(*mistake.also, draw))
