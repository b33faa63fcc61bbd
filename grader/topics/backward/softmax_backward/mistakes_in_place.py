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
    *(
        Mistake(
            f"upstream-overwritten-where-dim-is-moved{ending}",
            find=find,
            replace=f"""\
    if dim in (-1, output.ndim - 1):
    {find}\
    moved = grad_output.movedim(dim, -1).contiguous()
    {written}
    return moved.movedim(-1, dim)
""",
            says=f"{function} writes over grad_output where dim is not the last one and comes to lie last: "
            "contiguous() makes no copy of a transposed argument whose transpose is contiguous. Make a new "
            "tensor, with clone() or out of place.",
        )
        for function, ending, find, written in (
            (
                "softmax_backward",
                "",
                _SOFTMAX,
                "moved.sub_(weighted_sum.movedim(dim, -1)).mul_(output.movedim(dim, -1))",
            ),
            (
                "log_softmax_backward",
                "-in-log-softmax",
                _LOG,
                "moved.sub_((probs * grad_output.sum(dim=dim, keepdim=True)).movedim(dim, -1))",
            ),
        )
    ),
]
