"""Known wrong versions of `attention_backward` in what the gradients are added up in."""

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
    Mistake(
        "one-tensor-for-keys-and-values",
        find=_RETURNED,
        replace="    grad_key = grad_value = grad_key + grad_value\n" + _RETURNED,
        says="The grad_key and the grad_value of your flash_attention_backward are the same: the sum of "
        "both. grad_key = grad_value = torch.zeros_like(key), for example, makes one tensor with two names, "
        "and both are added to it. Make one for each.",
    ),
]
