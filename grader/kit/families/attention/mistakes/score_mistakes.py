"""Mistakes that several attention topics share: scores, their scale, the softmax, the mean of the values."""

from dataclasses import replace

from grader.kit.mistakes import Mistake

QUERY_AND_KEY_SWAPPED = Mistake(
    "query-and-key-swapped",
    find="query @ key.transpose(-2, -1)",
    replace="key @ query.transpose(-2, -1)",
    says="Your scores are transposed: rows are keys, columns queries, so the softmax over the last "
    "dimension shares out each key among the queries. Rows have to be queries: query @ key.mT.",
)

KEY_RESHAPED = Mistake(
    "key-reshaped-instead-of-transposed",
    find="key.transpose(-2, -1)",
    replace="key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])",
    says="You view (or reshape) the key with its last two sizes swapped. That keeps the order in memory and "
    "mixes features of different tokens. The scores need the transpose: key.transpose(-2, -1), or key.mT.",
)

WEIGHTS_TRANSPOSED = Mistake(
    "weights-transposed",
    find="weights @ value",
    replace="weights.transpose(-2, -1) @ value",
    says="You multiply the transposed weights with the values (an einsum can do that too), so a row of the "
    "result is summed over the queries. Each query gets the mean of the values under its own weights, which "
    "are its row: weights @ value.",
)

SCALE_BY_HIDDEN_SIZE = Mistake(
    "scale-by-hidden-size",
    find="math.sqrt(self.head_dim)",
    replace="math.sqrt(hidden_size)",
    says="You divide the scores by sqrt(hidden_size). Each head's dot product has head_dim terms, so divide "
    "by sqrt(head_dim).",
)


def scale_missing(line: str, size: str = "hidden_size") -> Mistake:
    """`line`: the one that scales; `size`: the features that a score sums over."""
    return Mistake(
        "scale-missing",
        find=f"        {line}\n",
        replace="",
        says=f"You do not scale the scores. Divide them by sqrt({size}): a dot product of {size} terms has "
        "that standard deviation, and unscaled the softmax saturates.",
    )


def other_scales(scaled: str, root: str, features: str = "hidden_size") -> tuple[Mistake, ...]:
    """The root left out, multiplied with, and made whole. `scaled`: what is divided by the root of `root`;
    `features`: what that is, in words.
    """
    find = f"{scaled} / math.sqrt({root})"
    return (
        Mistake(
            "scale-without-root",
            find=find,
            replace=f"{scaled} / {root}",
            says=f"You divide the scores by {features}, or twice by its square root (a built-in that scales "
            "does so once more, for example). Once is right: the standard deviation of a dot product grows "
            "with the root, so your weights are too uniform.",
        ),
        Mistake(
            "scale-multiplied",
            find=find,
            replace=f"{scaled} * math.sqrt({root})",
            says=f"You multiply the scores by sqrt({features}), which makes the softmax nearly one-hot. "
            f"Divide by it: the scale is 1 / sqrt({features}), or {features} ** -0.5.",
        ),
        Mistake(
            "scale-by-a-whole-root",
            find=find,
            replace=f"{scaled} / math.isqrt({root})",
            says=f"You divide the scores by sqrt({features}) rounded to a whole number (by math.isqrt, int() "
            "or //, for example), which is right for 4, 9, 16 and other squares only. The scale is 1 / "
            f"sqrt({features}), whole or not: math.sqrt({features}), or {features} ** 0.5.",
        ),
    )


def softmax_over_queries(scores: str) -> Mistake:
    """`scores`: their shape, in words."""
    return Mistake(
        "softmax-over-queries",
        find="torch.softmax(scores, dim=-1)",
        replace="torch.softmax(scores, dim=-2)",
        says="Your softmax runs over the queries, so every column sums to 1. Each query shares out its "
        f"weight among the keys: softmax over the last dimension of {scores}.",
    )


def softmax_over_queries_and_zeroed(scores: str) -> Mistake:
    """With the forbidden weights set to 0 behind it. `scores`: their shape, in words."""
    softmax = "torch.softmax(scores.masked_fill(scores == -math.inf, torch.finfo(scores.dtype).min), dim=-2)"
    return replace(
        softmax_over_queries(scores),
        id="softmax-over-queries-and-zeroed",
        replace=f"{softmax} * (scores != -math.inf)",
        says="Your softmax runs over the queries: each key shares out its weight among those that may read "
        "it. It is each query that shares out its weight among the keys: softmax over the last dimension of "
        f"{scores}, with the forbidden scores at -inf.",
    )


SOFTMAX_OVER_HEADS = Mistake(
    "softmax-over-heads",
    find="torch.softmax(scores, dim=-1)",
    replace="torch.softmax(scores, dim=1)",
    says="Your softmax runs over the heads, so the heads compete for each key. They are independent: softmax "
    "over the last dimension of the scores, (batch, num_heads, queries, keys).",
)

SOFTMAX_WITHOUT_DIM = Mistake(
    "softmax-without-dim",
    find="torch.softmax(scores, dim=-1)",
    replace="nn.functional.softmax(scores)",
    says="You give the softmax no dim. For three dimensions PyTorch then takes dimension 0, the batch (and "
    "warns), so sequences compete with each other. Each query's weights sum to 1 over the keys: dim=-1.",
)

SOFTMAX_OVER_SEQUENCES = Mistake(
    "softmax-over-sequences",
    find="torch.softmax(scores, dim=-1)",
    replace="torch.softmax(scores, dim=0)",
    says="Your softmax is over the batch, so sequences compete with each other: given no dim, PyTorch "
    "takes dimension 0 for tensors of three dimensions, for example (and warns). Each query's weights sum "
    "to 1 over the keys: dim=-1.",
)

SCORE_OF_ZERO_ADDED = Mistake(
    "score-of-zero-added",
    find="torch.softmax(scores, dim=-1)",
    replace="torch.softmax(torch.nn.functional.pad(scores, (0, 1)), dim=-1)[..., :-1]",
    says="The weights of your queries sum to less than 1: there is an exp(0) too many in the denominator, "
    'that of a key which does not exist ("softmax off by one", or add_zero_attn, for example). Divide by the '
    "sum over the keys alone.",
)

SOFTMAX_OVERFLOWS = Mistake(
    "softmax-overflows",
    find="torch.softmax(scores, dim=-1)",
    replace="torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)",
    says="Your softmax takes exp of the scores as they are, which overflows to inf, and inf / inf is NaN. "
    "Subtract each row's largest score first, or use torch.softmax, which does.",
)


def max_not_subtracted(indent: str = " " * 8) -> Mistake:
    """`indent`: how far the line of the softmax is indented."""
    return Mistake(
        "max-not-subtracted",
        find=f"{indent}weights = torch.softmax(scores, dim=-1)",
        replace=f"""\
{indent}exps = torch.exp(scores)
{indent}weights = exps / exps.sum(dim=-1, keepdim=True)""",
        says="You write the softmax out without subtracting the maximum: exp overflows above 88.7 in float32 "
        "and 709 in float64, and inf / inf is NaN; far below it every exponential is 0, and 0 / 0 is NaN. "
        "Subtract each row's largest score first, or use torch.softmax.",
    )


def largest_of_all_subtracted(indent: str = " " * 8) -> Mistake:
    """`indent`: how far the line of the softmax is indented."""
    return Mistake(
        "largest-of-all-subtracted",
        find=f"{indent}weights = torch.softmax(scores, dim=-1)",
        replace=f"""\
{indent}exps = torch.exp(scores - scores.max())
{indent}weights = exps / exps.sum(dim=-1, keepdim=True)""",
        says="Your softmax subtracts one number from many rows (the largest of all scores, for example). "
        "Where a row lies far below it, every exponential of the row is 0, and 0 / 0 is NaN. Subtract from "
        "each row its own largest, scores.amax(dim=-1, keepdim=True), or use torch.softmax, which does.",
    )


MAXIMUM_NOT_BELOW_ZERO = Mistake(
    "maximum-not-below-zero",
    find="        weights = torch.softmax(scores, dim=-1)",
    replace="""\
        exps = torch.exp(scores - scores.amax(dim=-1, keepdim=True).clamp(min=0))
        weights = exps / exps.sum(dim=-1, keepdim=True)""",
    says="Your softmax subtracts a row's largest score only where it is positive (the maximum begins at 0, "
    "or is clamped there, for example). Where all scores of a row are far below 0 every exponential is 0, "
    "and 0 / 0 is NaN. Subtract the largest whatever its sign is, or use torch.softmax, which does.",
)

MAXIMUM_OVER_THE_QUERIES_SUBTRACTED = Mistake(
    "maximum-over-the-queries-subtracted",
    find="        weights = torch.softmax(scores, dim=-1)",
    replace="""\
        exps = torch.exp(scores - scores.amax(dim=-2, keepdim=True))
        weights = exps / exps.sum(dim=-1, keepdim=True)""",
    says="Your softmax subtracts from each score the largest over the queries, which differs from key to "
    "key: that changes a query's weights. Subtract one number from all scores of a row, its largest: "
    "scores.amax(dim=-1, keepdim=True), or use torch.softmax, which does.",
)


def underflow_hidden(indent: str = " " * 8) -> tuple[Mistake, ...]:
    """With usual small numbers in the denominator. `indent`: how far the line of the softmax is indented."""
    return tuple(
        Mistake(
            name,
            find=f"{indent}weights = torch.softmax(scores, dim=-1)",
            replace=f"""\
{indent}exps = torch.exp(scores - scores.max())
{indent}weights = exps / (exps.sum(dim=-1, keepdim=True) + {small})""",
            says="Your softmax subtracts one number from many rows (the largest of all scores, for example). "
            "Where a row lies far below it, every exponential of the row is 0 or nearly, and so are its "
            "weights: a small number in the denominator (or nan_to_num) only hides that. Subtract from each "
            "row its own largest, scores.amax(dim=-1, keepdim=True), or use torch.softmax, which does.",
        )
        for name, small in [
            ("underflow-hidden", "1e-12"),
            ("underflow-hidden-by-more", "1e-9"),
            ("underflow-hidden-by-most", "1e-8"),
        ]
    )


def bias_not_scaled(line: str, root: str) -> Mistake:
    """`line`: the one that scales; `root`: what to divide by, where there is no query yet."""
    return Mistake(
        "query-bias-not-scaled",
        find=f"        {line}\n",
        replace="",
        also=(("self.q_proj(x)", f"self.q_proj(x / {root})"),),
        says="You scale before the bias of q_proj is added (you scale x, for example), so the bias is too "
        "large. A query is the whole of q_proj(x): scale that, or the scores.",
    )


def fused_bias_not_scaled(scaled: str, root: str) -> Mistake:
    """The same of `qkv_proj`, with a single head. `scaled`: what is divided by `root`, query or scores."""
    bias = "self.qkv_proj.bias.chunk(3)[0]"
    added = bias if scaled == "query" else f"({bias} @ key.transpose(-2, -1)).unsqueeze(-2)"
    return Mistake(
        "query-bias-not-scaled",
        find=f"{scaled} = {scaled} / {root}",
        replace=f"{scaled} = {scaled} / {root} + (1 - 1 / {root}) * {added}",
        says="Your scale misses the query's bias, which is too large then: you multiply it into the query's "
        "rows of the weight, for example, and not into the bias. A query is its whole third of "
        "qkv_proj(x): scale that, or the scores.",
    )


def scale_by_length(root: str, length: str) -> Mistake:
    """`root`: the one that the solution divides by; `length`: the number of keys."""
    return Mistake(
        "scale-by-the-number-of-keys",
        find=root,
        replace=f"math.sqrt({length})",
        says="You scale by the number of keys. What makes scores large is the number of terms of a dot "
        "product, the features of a query: divide by the root of that, however long the sequence is.",
    )


def scale_by_input_size(root: str, size: str, what: str) -> Mistake:
    """`root`: the one that the solution divides by; `size`: the features of a token, `what` in words."""
    return Mistake(
        f"scale-by-the-{what}-size",
        find=root,
        replace=f"math.sqrt({size})",
        says=f"You scale by the size of a token of {what}. A score is a dot product of head_dim terms, "
        "whatever the tokens were projected from: divide by sqrt(head_dim).",
    )


def scale_by_fused_width(root: str, width: str) -> Mistake:
    """`root`: the one that the solution divides by; `width`: that of query, key and value together."""
    return Mistake(
        "scale-by-the-fused-width",
        find=root,
        replace=f"math.sqrt({width})",
        says="You divide the scores by the root of 3 * hidden_size, the width of qkv_proj's output. A score "
        "is a sum over the query's features: divide by sqrt(hidden_size).",
    )


def clamped(scaled: str) -> Mistake:
    """`scaled`: the expression that scales the scores."""
    return Mistake(
        "scores-clamped",
        find=f"scores = {scaled}",
        replace=f"scores = ({scaled}).clamp(-100, 100)",
        says="You cut large scores off. Keys beyond the bound then weigh alike, however far apart their "
        "scores are, and the scores get no gradient. With each row's largest score subtracted, nothing has "
        "to be cut; torch.softmax does it.",
    )
