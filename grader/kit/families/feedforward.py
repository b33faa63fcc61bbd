"""What the checks of feed-forward networks share: inputs, dropout on the output, and mistakes.

The solutions end with `return self.dropout(output)`, and look activations up in `_ACTIVATIONS`.
"""

import torch
from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.comparison import difference
from grader.kit.counts import shares_of_factors
from grader.kit.families import dropout_mistakes
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.generators import Rng
from grader.kit.mistakes import Mistake


def of_any_leading_dimensions(rng: Rng, size: int) -> list[Tensor]:
    """A vector, a batch of one, a single token, four dimensions and a transposed tensor: `size` features."""
    shapes: list[tuple[int, ...]] = [(size,), (1, 5, size), (3, 1, size)]
    shapes.append(of_many_dimensions(rng, (2, 3, 5, size)))
    return [*(rng.normal(*shape) for shape in shapes), rng.normal(size, 5, 2).transpose(0, 2)]


def assert_dropout_acts_on_output(came: Tensor, whole: Tensor, *, dropout: float) -> None:
    """What came in training is what evaluation gives (`whole`), with entries zeroed and the others divided by
    1 - dropout."""
    if came.shape != whole.shape:  # together they could fill the memory
        assert_close(came, whole)
        return
    expected = torch.where(came == 0, 0.0, whole / (1 - dropout))
    message = difference(came, expected)
    assert_true(message is None, message or "", seen=shares_of_factors(came / whole, dropout))


def assert_close_far_from_zero(came: Tensor, expected: Tensor) -> bool:
    """As `assert_close`, where hidden values are large. If finite numbers are wrong, this alone is recorded:
    by how much depends on the bound from which on they are. Whether they are right.
    """
    message = difference(came, expected)
    if message is not None and came.shape == expected.shape and bool(came.isfinite().all()):
        assert_true(False, message, seen="finite")
        return False
    assert_close(came, expected)
    return True


def assert_entries_dropped_on_their_own(came: Tensor, *, dropout: float) -> None:
    """Of about 200 tokens with 200 features, each entry is zero on its own, with probability `dropout`.

    came: (tokens, features) or (sequences, tokens, features).
    """
    kept = (came != 0).double()
    names = ("sequences", "tokens", "features")[-kept.ndim :]
    first = [kept.narrow(dim, 0, 1).expand_as(kept) for dim in range(len(names))]
    varies = bool(kept.min() != kept.max())  # what drops nothing drops nothing on its own either
    alike = [name for name, one in zip(names, first, strict=True) if varies and torch.equal(kept, one)]
    message = f"all {' and all '.join(alike)} drop the same entries: draw for each entry on its own"
    assert_true(not alike, message, seen=alike)
    if alike:
        return
    share, kept = 1 - dropout, kept.reshape(-1, kept.shape[-1])
    # The standard deviation of a share is 0.03. For diagnosis not the draw: two answers draw in other ways.
    for dim, what in enumerate(("tokens kept, by feature", "features kept, by token")):
        shares = kept.mean(dim)
        message = difference(shares, torch.full_like(shares, share), absolute=0.25) or ""
        seen = not message or round(float(kept.mean()), 1)
        assert_true(not message, f"the share of {what}: {message}", seen=seen)
    expected = torch.tensor(share, dtype=kept.dtype)
    assert_close(kept.mean(), expected, absolute=0.02, what="the share of entries kept")


def silu_by_hand(slope: str, name: str = "SiLU") -> str:
    """The text of a Function of one's own: the values of SiLU, and `slope`, an expression in what goes in, z,
    and its sigmoid s.
    """
    return f"""\
class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return F.silu(z)

    @staticmethod
    def backward(ctx, gradient):
        (z,) = ctx.saved_tensors
        s = torch.sigmoid(z)
        return gradient * ({slope})


"""


VECTOR_AS_A_ROW = Mistake(
    "vector-becomes-a-row",
    find="return self.dropout(output)",
    replace="return self.dropout(output[None] if output.ndim == 1 else output)",
    says="Of a vector you make a matrix of one row: you make x two-dimensional, for example, and leave it "
    "so. The result has the shape of x, and that of a vector is a vector.",
)

DROPOUT_MISSING = dropout_mistakes.missing(
    "output",
    line="        return self.dropout(output)",
    without="        return output",
    right="Return self.dropout(output)",
)
DROPOUT_IN_EVALUATION = dropout_mistakes.in_evaluation("output")
DROPOUT_IN_WHOLE_PERCENTS = Mistake(
    "dropout-in-whole-percents",
    find="nn.Dropout(dropout)",
    replace="nn.Dropout(round(dropout, 2))",
    says="You round dropout, to whole percents for example. It is any number below 1: take it as it comes.",
)
DROPOUT_KEEPS_THAT_SHARE = dropout_mistakes.keeps_that_share("an entry")

DROPOUT_NOT_RESCALED = Mistake(
    "dropout-not-rescaled",
    find="        return self.dropout(output)",
    replace="        return self.dropout(output) * (1 - self.dropout.p if self.training else 1)",
    says="You do not divide the entries that are kept by 1 - dropout, so that in training the output is "
    "smaller on average than in evaluation. Scale in training (inverted dropout, as nn.Dropout does).",
)

DROPOUT_SCALED_IN_EVALUATION = Mistake(
    "dropout-scaled-in-evaluation",
    find="        return self.dropout(output)",
    replace="        return self.dropout(output) * (1 - self.dropout.p)",
    says="You do not divide the entries that are kept in training, and multiply by 1 - dropout in "
    "evaluation, as dropout was first described. Asked for is what nn.Dropout does: divide by 1 - dropout in "
    "training, and do nothing in evaluation.",
)

DROPOUT_BY_DEFAULT = Mistake(
    "dropout-by-default",
    find="dropout: float = 0.0",
    replace="dropout: float = 0.1",
    says="Your default for dropout is 0.1, so a network that is made without this argument drops entries in "
    "training. The default is 0.0, which drops nothing.",
)


def dropout_on_the_hidden_layer(lines: str, instead: str) -> Mistake:
    """`lines`: those from the hidden layer to the end; `instead`: the same with the dropout on it."""
    return Mistake(
        "dropout-on-the-hidden-layer",
        find=lines,
        replace=instead,
        says="You drop entries of the hidden layer (or of the input). Some libraries do, but asked for is "
        "dropout on the output: after down_proj, before the residual connection adds it.",
    )


DROPOUT_SHARED_BY_TOKENS = Mistake(
    "dropout-shared-by-tokens",
    find="        return self.dropout(output)",
    replace="        return output * self.dropout(output.new_ones(output.shape[-1]))",
    says="You draw once for each feature, and all tokens lose the same ones: in that step it is a narrower "
    "network. Draw a number of its own for each entry of the output, as nn.Dropout does.",
)

DROPOUT_SHARED_BY_SEQUENCES = Mistake(
    "dropout-shared-by-sequences",
    find="        return self.dropout(output)",
    replace="        return output * self.dropout(output.new_ones(output.shape[-2:]))",
    says="You draw one mask of tokens and features, and all sequences of the batch lose the same entries. "
    "Draw over all dimensions of the output, the first too, as nn.Dropout does.",
)

DROPOUT_OF_WHOLE_TOKENS = Mistake(
    "dropout-of-whole-tokens",
    find="        return self.dropout(output)",
    replace="        return output * self.dropout(output.new_ones(*output.shape[:-1], 1))",
    says="You draw once for each token, and drop all of its features or none. Draw a number of its own for "
    "each entry of the output, as nn.Dropout does.",
)


def three_dimensions_unpacked(line: str) -> Mistake:
    """`line`: the first of forward."""
    return Mistake(
        "three-dimensions-unpacked",
        find=line,
        replace=f"        batch, seq, _ = x.shape\n{line}",
        says="You unpack the shape of x into three sizes, which raises where it has fewer or more "
        "dimensions. Any number of leading ones is allowed, also none: nn.Linear takes x as it is.",
    )


RESIDUAL_ADDED = Mistake(
    "residual-added",
    find="        return self.dropout(output)",
    replace="        return x + self.dropout(output)",
    says="You add the input to the result. The residual connection belongs to the transformer block "
    "around the network; here the output is that of down_proj alone.",
)

BACKWARD_FORGETS_THE_MASK = Mistake(
    "backward-forgets-the-dropout-mask",
    find="        return self.dropout(output)",
    replace="        return output + (self.dropout(output) - output).detach()",
    says="Your backward does not know what forward has dropped: it passes on gradients for entries that were "
    "set to 0, and does not divide those of the others by 1 - dropout. Multiply the upstream gradient by the "
    "same mask (keep it from forward), or let autograd do it.",
)

ACTIVATION_IGNORED = Mistake(
    "activation-ignored",
    find="self.activation = _ACTIVATIONS[activation]",
    replace="self.activation = F.relu",
    says="You take ReLU whatever the argument activation says. It is the default only: use what was passed.",
)

GELU_BY_DEFAULT = Mistake(
    "gelu-is-the-default",
    find='activation: str = "relu"',
    replace='activation: str = "gelu"',
    says='Your default activation is GELU. Where none is named it is "relu", as in the original transformer.',
)

UNKNOWN_ACTIVATION_ACCEPTED = Mistake(
    "unknown-activation-accepted",
    find="""\
        if activation not in _ACTIVATIONS:
            raise ValueError(f"unknown activation {activation!r}")
""",
    replace="",
    also=(("= _ACTIVATIONS[activation]", "= _ACTIVATIONS.get(activation, F.relu)"),),
    says="Your constructor accepts an activation that it does not know, perhaps by an else branch, by "
    "getattr, or because forward is the first to look. A slip in a configuration then trains another "
    "model, or fails late: raise a ValueError in the constructor.",
)

UNKNOWN_ACTIVATION_IS_A_KEY_ERROR = Mistake(
    "unknown-activation-is-a-key-error",
    find="""\
        if activation not in _ACTIVATIONS:
            raise ValueError(f"unknown activation {activation!r}")
""",
    replace="",
    says="An unknown activation ends in the KeyError of your table. Look first, and raise a ValueError "
    "that names the word.",
)
