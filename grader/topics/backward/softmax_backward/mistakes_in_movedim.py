"""Known wrong versions of `softmax_backward` that move dim to the end and back with the same call."""

from grader.kit import Mistake

_OF_SOFTMAX = """\
    weighted_sum = (output * grad_output).sum(dim=dim, keepdim=True)
    return output * (grad_output - weighted_sum)
"""
_OF_LOG_SOFTMAX = """\
    probs = output.exp()
    return grad_output - probs * grad_output.sum(dim=dim, keepdim=True)
"""
_TWICE_IN_SOFTMAX = """\
    grad, probs = (each.movedim(dim, -1) for each in (grad_output, output))
    weighted_sum = (probs * grad).sum(dim=-1, keepdim=True)
    return (probs * (grad - weighted_sum)).movedim(dim, -1)
"""
_TWICE_IN_LOG_SOFTMAX = """\
    grad, probs = (each.movedim(dim, -1) for each in (grad_output, output.exp()))
    return (grad - probs * grad.sum(dim=-1, keepdim=True)).movedim(dim, -1)
"""
_BACK = (
    "the dimensions in the wrong order where dim is none of the last two: movedim(dim, -1), for example, "
    "applied once more. That takes another dimension to the end; the way back is movedim(-1, dim). Or sum "
    "along dim as it is."
)

_EXCHANGED = (
    "the dimensions in the wrong order where there are three or more: movedim(dim, -1), for example, and "
    "back by transpose(-1, dim), which exchanges two. movedim shifts those in between, and the way back is "
    "movedim(-1, dim). Or sum along dim as it is."
)
_NOT_EXCHANGED_BACK = (
    "dim is exchanged with the last dimension (transpose(dim, -1)), and the result gets its shape back by "
    "reshape or view, without being exchanged back: the numbers are right, their places are not. transpose "
    "once more, from a shape that is exchanged too, or sum along dim as it is."
)


def _not_exchanged_back(code: str) -> str:
    return code.replace(".movedim(dim, -1) for", ".transpose(dim, -1) for").replace(
        ".movedim(dim, -1)\n", ".reshape(output.shape)\n"
    )


def _exchanged(code: str) -> str:
    return code.replace("movedim(dim, -1)\n", "transpose(-1, dim)\n")


MISTAKES = [
    Mistake(
        "dim-moved-on-instead-of-back",
        find=_OF_SOFTMAX,
        replace=_TWICE_IN_SOFTMAX,
        says=f"Your result of softmax_backward has {_BACK}",
    ),
    Mistake(
        "dim-moved-on-instead-of-back-in-log-softmax",
        find=_OF_LOG_SOFTMAX,
        replace=_TWICE_IN_LOG_SOFTMAX,
        says=f"Your result of log_softmax_backward has {_BACK}",
    ),
    Mistake(
        "dim-moved-on-instead-of-back-in-both",
        find=_OF_SOFTMAX,
        replace=_TWICE_IN_SOFTMAX,
        also=((_OF_LOG_SOFTMAX, _TWICE_IN_LOG_SOFTMAX),),
        says=f"Your results of softmax_backward and log_softmax_backward have {_BACK}",
    ),
    Mistake(
        "dim-exchanged-instead-of-moved-back",
        find=_OF_SOFTMAX,
        replace=_exchanged(_TWICE_IN_SOFTMAX),
        says=f"Your result of softmax_backward has {_EXCHANGED}",
    ),
    Mistake(
        "dim-exchanged-instead-of-moved-back-in-log-softmax",
        find=_OF_LOG_SOFTMAX,
        replace=_exchanged(_TWICE_IN_LOG_SOFTMAX),
        says=f"Your result of log_softmax_backward has {_EXCHANGED}",
    ),
    Mistake(
        "dim-exchanged-instead-of-moved-back-in-both",
        find=_OF_SOFTMAX,
        replace=_exchanged(_TWICE_IN_SOFTMAX),
        also=((_OF_LOG_SOFTMAX, _exchanged(_TWICE_IN_LOG_SOFTMAX)),),
        says=f"Your results of softmax_backward and log_softmax_backward have {_EXCHANGED}",
    ),
    *(
        Mistake(
            f"dim-not-exchanged-back{ending}",
            find=find,
            replace=_not_exchanged_back(code),
            says=f"In {name} {_NOT_EXCHANGED_BACK}",
        )
        for ending, name, find, code in (
            ("", "softmax_backward", _OF_SOFTMAX, _TWICE_IN_SOFTMAX),
            ("-in-log-softmax", "log_softmax_backward", _OF_LOG_SOFTMAX, _TWICE_IN_LOG_SOFTMAX),
        )
    ),
]
