"""Known wrong versions of `attention_backward` for arguments that are not contiguous."""

from grader.kit import Mistake

_RETURNED = "    return grad_query, grad_key, grad_value\n"

MISTAKES = [
    Mistake(
        "block-gradients-added-to-a-copy",
        find=_RETURNED,
        replace="""\
    given = zip((query, key, value), (grad_query, grad_key, grad_value))
    return tuple(gradient if each.is_contiguous() else 0 * gradient for each, gradient in given)
""",
        says="Where an argument is not contiguous, your flash_attention_backward gives zeros for its "
        "gradient: zeros_like keeps the strides of a transposed tensor, for example, so that reshape makes a "
        "copy, and what is added to the copy does not get into the result. Make the zeros contiguous "
        "(new_zeros), or use view, which says so.",
    ),
]
