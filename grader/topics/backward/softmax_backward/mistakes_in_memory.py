"""Known wrong versions of `softmax_backward` that make the Jacobian, of all rows or of one at a time."""

from grader.kit import Mistake

_SOFTMAX = "    return output * (grad_output - weighted_sum)\n"
_LOG = "    return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)\n"
_IMPORT = "import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"


def row_by_row(mistake_id: str, find: str, jacobian: str, says: str) -> Mistake:
    """`find` returns the gradient of a softmax with outputs `y`; `jacobian`: that of `row`, one of `y`."""
    y = "output" if find == _SOFTMAX else "probs"
    return Mistake(
        mistake_id,
        find=find,
        replace=f"""\
    y, dy = {y}.movedim(dim, -1), grad_output.movedim(dim, -1)
    length = y.shape[-1]
    rows = [({jacobian}) @ above for row, above in zip(y.reshape(-1, length), dy.reshape(-1, length))]
    return torch.stack(rows).reshape(y.shape).movedim(-1, dim)
""",
        also=(_IMPORT,),
        says=says,
    )


MISTAKES = [
    Mistake(
        "whole-jacobian",
        find=_SOFTMAX,
        replace="""\
    y, dy = output.movedim(dim, -1), grad_output.movedim(dim, -1)
    jacobian = y.diag_embed() - y.unsqueeze(-1) * y.unsqueeze(-2)
    return (jacobian @ dy.unsqueeze(-1)).squeeze(-1).movedim(-1, dim)
""",
        says="You build the Jacobian of softmax, n x n for a row of n: right values, n² memory. Its "
        "product with a vector needs only one sum: y * (dy - sum(y * dy)).",
    ),
    Mistake(
        "jacobian-of-log-softmax",
        find=_LOG,
        replace="""\
    y, dy = probs.movedim(dim, -1), grad_output.movedim(dim, -1)
    jacobian = (y.new_ones(y.shape[-1]).diag() - y.unsqueeze(-2)).mT
    return (jacobian @ dy.unsqueeze(-1)).squeeze(-1).movedim(-1, dim)
""",
        says="You build the Jacobian of log-softmax, n x n for a row of n: right values, n² memory. It "
        "is the unit matrix less the same row everywhere: dy - y * sum(dy).",
    ),
    row_by_row(
        "jacobian-row-by-row",
        _SOFTMAX,
        "row.diag() - row.outer(row)",
        says="You make the Jacobian of softmax for one row after the other (in a loop, for example): right "
        "values, but n x n numbers for a row of n. Its product with a vector needs only one sum: y * (dy - "
        "sum(y * dy)).",
    ),
    row_by_row(
        "jacobian-of-log-softmax-row-by-row",
        _LOG,
        "row.new_ones(length).diag() - row.unsqueeze(1)",
        says="You make the Jacobian of log-softmax for one row after the other (in a loop, for example): "
        "right values, but n x n numbers for a row of n. It is the unit matrix less a multiple of ones in "
        "each row: dy - y * sum(dy).",
    ),
    Mistake(
        "one-hot-with-a-column-too-many",
        find="    index = target.masked_fill(~kept, 0)  # what stands in an ignored row is no class\n",
        replace="    index = target.masked_fill(~kept, log_probs.shape[1])\n",
        also=(
            (
                "F.one_hot(index, log_probs.shape[1])",
                "F.one_hot(index, log_probs.shape[1] + 1)[:, :-1]",
            ),
        ),
        says="In cross_entropy_backward you make a one-hot tensor with a column more, for the ignored rows: "
        "more elements than log_probs has. Give them any class, and set their gradient to 0 in the end.",
    ),
]
