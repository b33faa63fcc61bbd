"""Mistakes that several attention topics share: projections, heads, scale and softmax.

Each says the same to every learner. What differs from solution to solution (a line, a name, a shape) is a
parameter. Those about masks and dropout stand in modules of their own.
"""

import re

from grader.kit.mistakes import Mistake

_SPLIT = re.compile(r"view\(batch, (\w+), (self\.\w+), self\.head_dim\)\.transpose\(1, 2\)")


def biases_left_out(layers: str) -> Mistake:
    """`layers`: the lines of the constructor that make them."""
    return Mistake(
        "biases-left-out",
        find=layers,
        replace=re.sub(r"\)$", ", bias=False)", layers, flags=re.MULTILINE),
        says="Your projections have no biases. Many newer models leave them out, but here they are asked "
        "for, as in nn.MultiheadAttention: nn.Linear has one unless bias=False says otherwise.",
    )


def value_from_key(source: str = "x") -> Mistake:
    """`source`: what is projected."""
    return Mistake(
        "value-from-key",
        find=f"value = self.v_proj({source})",
        replace=f"value = self.k_proj({source})",
        says="Your values are the projected keys, a slip of copying a line: v_proj is never used. Values "
        f"have their own projection of {source}.",
    )


KEY_FIRST = Mistake(
    "key-first",
    find="query, key, value = ",
    replace="key, query, value = ",
    says="You take the first third of qkv_proj's output as the key and the second as the query. The order is "
    "query, key, value.",
)


def output_projection_added(last: str) -> Mistake:
    """`last`: the line of the constructor that it comes after."""
    return Mistake(
        "output-projection-added",
        find=last,
        replace=f"{last}\n        self.o_proj = nn.Linear(hidden_size, hidden_size)",
        says="Your module has an o_proj. This level has none: the result is the weighted mean of the values "
        "as it is. The output projection comes with level 3.",
    )


def output_projection_forgotten(merged: str = "context") -> Mistake:
    """Of several heads; `merged`: the name of their results side by side."""
    return Mistake(
        "output-projection-forgotten",
        find=f"        return self.o_proj({merged})",
        replace=f"        return {merged}",
        says="You return the merged heads without the output projection. o_proj mixes what the heads found; "
        "left out, it never gets a gradient.",
    )


OUTPUT_PROJECTION_FORGOTTEN = Mistake(
    "output-projection-forgotten",
    find="        return self.o_proj(context)",
    replace="        return context",
    says="You return the weighted mean without the output projection. Here o_proj follows; left out, it "
    "never gets a gradient.",
)


def heads_split_without_transpose(
    lines: str, *, what: str = "the projections", heads: str = "num_heads", seq: str = "seq"
) -> Mistake:
    """`lines`: those that split the heads. `what`, `heads` and `seq` are for the words only."""
    return Mistake(
        "heads-split-without-transpose",
        find=lines,
        replace=_SPLIT.sub(r"view(batch, \2, \1, self.head_dim)", lines),
        says=f"You view {what} directly as (batch, {heads}, {seq}, head_dim), which mixes features of "
        f"different tokens. A view does not move data: split the last dimension, view(batch, {seq}, "
        f"{heads}, head_dim), and then transpose(1, 2).",
    )


def heads_interleaved(lines: str, *, head: str = "head") -> Mistake:
    """`lines`: those that split the heads. `head`: a word for those that are interleaved."""
    return Mistake(
        "heads-interleaved",
        find=lines,
        replace=_SPLIT.sub(r"view(batch, \1, self.head_dim, \2).permute(0, 3, 1, 2)", lines),
        says=f"You give {head} i every num_heads-th feature, i, i + num_heads and so on. A head owns a "
        "block of neighbouring features, i * head_dim … (i + 1) * head_dim - 1: split the last dimension as "
        "(num_heads, head_dim).",
    )


def heads_merged_without_transpose(heads: str = "context", seq: str = "seq") -> Mistake:
    """`heads`: the name of their results; `seq`: that of the length."""
    return Mistake(
        "heads-merged-without-transpose",
        find=f"{heads}.transpose(1, 2).reshape(batch, {seq}, hidden_size)",
        replace=f"{heads}.reshape(batch, {seq}, hidden_size)",
        says="You merge the heads without moving them back behind the sequence, so one head's results for "
        "several tokens end up in one row. transpose(1, 2) first, then reshape to (batch, "
        f"{seq}, hidden_size).",
    )


DIVISIBILITY_UNCHECKED = Mistake(
    "divisibility-unchecked",
    find="""\
        if hidden_size % num_heads != 0:
            raise ValueError(f"hidden_size {hidden_size} is not divisible by num_heads {num_heads}")
""",
    replace="",
    says="You accept a hidden_size that num_heads does not divide; integer division then silently makes the "
    "heads too small, and the failure comes later as a shape error. Raise a ValueError in the constructor.",
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


SCALE_WITHOUT_ROOT = Mistake(
    "scale-without-root",
    find="math.sqrt(query.shape[-1])",
    replace="query.shape[-1]",
    says="You divide the scores by hidden_size instead of its square root. The standard deviation of a dot "
    "product grows with the root, so your weights are too uniform.",
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


SOFTMAX_WITHOUT_DIM = Mistake(
    "softmax-without-dim",
    find="torch.softmax(scores, dim=-1)",
    replace="nn.functional.softmax(scores)",
    says="You give the softmax no dim. For three dimensions PyTorch then takes dimension 0, the batch (and "
    "warns), so sequences compete with each other. Each query's weights sum to 1 over the keys: dim=-1.",
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
