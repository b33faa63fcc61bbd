"""Mistakes that several attention topics share: projections and heads.

Each says the same to every learner. What differs from solution to solution (a line, a name, a shape) is a
parameter. Those about scores and weights, masks and dropout stand in modules of their own.
"""

import re
from dataclasses import replace

from grader.kit.mistakes import Mistake

PROJECTION_INTERLEAVED = Mistake(
    "projection-interleaved",
    find="self.qkv_proj(x).chunk(3, dim=-1)",
    replace="self.qkv_proj(x).unflatten(-1, (-1, 3)).unbind(-1)",
    says="You take every third feature of the fused projection for the query, and those beside it for key "
    "and value (a view of (..., hidden_size, 3) does that). They lie side by side: the first hidden_size "
    "features are the query, then come the key and the value. chunk(3, dim=-1) cuts them so.",
)

_SPLIT = re.compile(r"view\(batch, (\w+), (self\.\w+|-1), self\.head_dim\)\.transpose\(1, 2\)")


def biases_left_out(layers: str) -> Mistake:
    """`layers`: the lines of the constructor that make them."""
    return Mistake(
        "biases-left-out",
        find=layers,
        replace=re.sub(r"\)$", ", bias=False)", layers, flags=re.MULTILINE),
        says="Your projections have no biases. Many newer models leave them out, but here they are asked "
        "for, as in nn.MultiheadAttention: nn.Linear has one unless bias=False says otherwise.",
    )


def some_biases_left_out(layers: str) -> tuple[Mistake, ...]:
    """`layers`: the lines of the constructor that make them, the output's last."""
    *inputs, output = layers.splitlines()
    cases = [
        ("output-projection-without-bias", "Your output projection has no bias", [output]),
        ("input-projections-without-bias", "Your output projection alone has a bias", inputs),
        *(
            ("key-projection-without-bias", "Your key projection has no bias", [line])
            for line in inputs
            if "self.k_proj" in line
        ),
    ]
    return tuple(
        Mistake(
            name,
            find=layers,
            replace="\n".join(
                re.sub(r"\)$", ", bias=False)", line) if line in left_out else line
                for line in layers.splitlines()
            ),
            says=f"{said}. There are models like that, but here each projection is asked to have one: "
            "nn.Linear makes it unless bias=False says otherwise.",
        )
        for name, said, left_out in cases
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


def key_and_value_swapped(source: str = "x") -> Mistake:
    """`source`: what is projected."""
    return Mistake(
        "key-and-value-swapped",
        find=f"key = self.k_proj({source})",
        replace=f"key = self.v_proj({source})",
        also=((f"value = self.v_proj({source})", f"value = self.k_proj({source})"),),
        says="Your keys and values have changed places: you compare the queries with v_proj's output and "
        "average k_proj's. Keys, from k_proj, make the scores; the weights then average the values, from "
        "v_proj.",
    )


KEY_FIRST = Mistake(
    "key-first",
    find="query, key, value = ",
    replace="key, query, value = ",
    says="Your queries and keys have changed places: you take the first third of qkv_proj's output as the "
    "key and the second as the query (or multiply key @ query.mT). The order is query, key, value, and the "
    "rows of the scores are queries.",
)

VALUE_BEFORE_KEY = Mistake(
    "value-before-key",
    find="query, key, value = ",
    replace="query, value, key = ",
    says="You take the second third of qkv_proj's output as the value and the last as the key. The order "
    "is query, key, value.",
)

VALUE_FIRST = Mistake(
    "value-first",
    find="query, key, value = ",
    replace="value, key, query = ",
    says="You take the first third of qkv_proj's output as the value and the last as the query. The "
    "order is query, key, value.",
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


def heads_interleaved_and_merged_alike(
    lines: str, *, head: str = "head", heads: str = "context", seq: str = "seq"
) -> Mistake:
    """Interleaved, and put back where they came from. `heads`: the name of their results; `seq`: that of the
    length."""
    merged = f"{heads}.transpose(1, 2).reshape(batch, {seq}, hidden_size)"
    return replace(
        heads_interleaved(lines, head=head),
        id="heads-interleaved-and-merged-alike",
        also=((merged, f"{heads}.permute(0, 2, 3, 1).reshape(batch, {seq}, hidden_size)"),),
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


def heads_merged_interleaved(heads: str = "context", seq: str = "seq") -> Mistake:
    """`heads`: the name of their results; `seq`: that of the length."""
    return Mistake(
        "heads-merged-interleaved",
        find=f"{heads}.transpose(1, 2).reshape(batch, {seq}, hidden_size)",
        replace=f"{heads}.permute(0, 2, 3, 1).reshape(batch, {seq}, hidden_size)",
        says="You interleave the heads' results: feature 0 of all heads, then feature 1 of all, and so on. "
        "They stand side by side, all features of head 0, then all of head 1: merge the last two dimensions "
        f"of (batch, {seq}, num_heads, head_dim), in this order.",
    )


def heads_split_and_merged_without_transpose(
    lines: str,
    *,
    what: str = "the projections",
    heads: str = "context",
    seq: str = "seq",
    tokens: str = "seq",
) -> Mistake:
    """Split so, and put back where they came from. `lines`: those that split them; `heads`: the name of their
    results; `seq`: that of the length. `what` and `tokens` are words for what is split and its length.
    """
    merged = heads_merged_without_transpose(heads, seq)
    return replace(
        heads_split_without_transpose(lines, seq=tokens),
        id="heads-split-and-merged-without-transpose",
        also=((merged.find, merged.replace),),
        says=f"You view {what} directly as (batch, num_heads, {tokens}, head_dim), and the results back, "
        "which mixes features of different tokens. A view does not move data: split the last dimension, "
        f"view(batch, {tokens}, num_heads, head_dim), then transpose(1, 2); and transpose(1, 2) again before "
        "you merge.",
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


def keys_split_without_transpose(line: str, *, what: str, name: str, heads: str, seq: str) -> Mistake:
    """Only them, where the others are right. `line`: the one that splits; the others are for the words."""
    return replace(
        heads_split_without_transpose(line, what=what, heads=heads, seq=seq),
        id=f"{name}-split-without-transpose",
    )


def value_projected_twice(source: str, projection: str) -> Mistake:
    """`source`: what is projected; `projection`: the layer that comes before v_proj by mistake."""
    made = {"k_proj": "the keys", "q_proj": "the queries"}[projection]
    return Mistake(
        f"value-projected-from-{projection[0]}",
        find=f"self.v_proj({source})",
        replace=f"self.v_proj(self.{projection}({source}))",
        says=f"You project the values from {made}, which are projected already. Each projection starts from "
        f"{source} itself: v_proj({source}).",
    )


RESULT_SQUEEZED = Mistake(
    "result-squeezed",
    find="return weights @ value",
    replace="return (weights @ value).squeeze()",
    says="All dimensions of size 1 are missing in your result: squeeze() without a dimension takes them out, "
    "for example. A batch of one, a single token and a single feature are sizes like any others: the result "
    "has the shape of x.",
)
