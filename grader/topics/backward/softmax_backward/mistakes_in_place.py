"""Known wrong versions of `softmax_backward` that write into the gradient that comes."""

from grader.kit import Mistake

_SOFTMAX = "    return output * (grad_output - weighted_sum)\n"
_LOG = "    return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)\n"
_OF_LOG = "sub_(probs * grad_output.sum(dim=dim, keepdim=True))\n"

MISTAKES = [
    Mistake(
        "upstream-overwritten-in-log-softmax",
        find=_LOG,
        replace=f"    return grad_output.{_OF_LOG}",
        says="log_softmax_backward writes over grad_output (in place, also on a way to its result). The "
        "gradient that comes may go to others as well, and where it was expanded nothing can be written to "
        "it: make a new tensor.",
    ),
    *(
        Mistake(
            f"upstream-overwritten-where-it-is-contiguous{ending}",
            find=find,
            replace=f"    return grad_output.contiguous().{written}",
            says=f"{function} writes over grad_output where that is contiguous. What you work in is no copy "
            "then: contiguous() and reshape, for example, give back the same memory if they can. The "
            "gradient that comes may go to others as well: make a new tensor, with clone() or out of place.",
        )
        for function, ending, find, written in (
            ("softmax_backward", "", _SOFTMAX, "sub_(weighted_sum).mul_(output)\n"),
            ("log_softmax_backward", "-in-log-softmax", _LOG, _OF_LOG),
        )
    ),
]
