"""Mistakes of a running softmax whose exponentials are of two bases, or of another base than e."""

from collections.abc import Callable

from grader.kit.mistakes import Mistake

_LOG2_OF_E = "1.4426950408889634"
_ONE_BASE = (
    "What was summed so far has to be corrected in the base of the weights: exp and exp, or, where scores "
    "and maxima are multiplied by log2(e), exp2 and exp2."
)
_BASE_E = "It belongs to the base e: exp(score), or exp2(log2(e) * score)."


def _by_two(power: str) -> str:
    return power.replace("exp(", "exp2(")


def _in_units_of_log2(power: str) -> str:
    function, difference = power.split("exp(")
    return f"{function}exp({_LOG2_OF_E} * ({difference})"


_MADE: list[tuple[str, Callable[[str], str], Callable[[str], str], str]] = [
    (
        "correction-in-units-of-log2",
        str,
        _in_units_of_log2,
        "Your weights are right, and your correction of what was summed so far is exp(log2(e) * (old - new "
        "maximum)): the weights take exp2 of scores times log2(e), for example, and the correction exp of "
        f"such maxima. {_ONE_BASE}",
    ),
    (
        "correction-by-powers-of-two",
        str,
        _by_two,
        "Your weights are powers of e, and your correction of what was summed so far is 2 ** (old - new "
        f"maximum). {_ONE_BASE}",
    ),
    (
        "weights-by-powers-of-two",
        _by_two,
        str,
        "Your weights are 2 ** (score - maximum), while the correction of what was summed so far is a power "
        "of e. The softmax belongs to the base e: exp for both, or exp2 of log2(e) times both differences.",
    ),
    (
        "weights-in-units-of-log2",
        _in_units_of_log2,
        str,
        "Your weights are exp(log2(e) * (score - maximum)): scores times log2(e) belong to exp2, and you "
        "take exp of them, for example; the correction of what was summed so far is right. Take exp for "
        "both and no log2(e), or exp2 for both.",
    ),
    (
        "powers-of-two",
        _by_two,
        _by_two,
        f"Your softmax takes powers of 2 of the scores, which makes it flatter. {_BASE_E}",
    ),
    (
        "all-in-units-of-log2",
        _in_units_of_log2,
        _in_units_of_log2,
        f"Your softmax takes exp of log2(e) times the scores, which makes it sharper. {_BASE_E}",
    ),
]


def other_bases(
    weights: str, correction: str, constant_maximum: tuple[str, str] | None = None
) -> list[Mistake]:
    """`weights`: the expression exp(scores - new maximum); `correction`: exp(old maximum - new one);
    `constant_maximum`: what to find and what to put there so that no gradient goes through the maximum, where
    gradients are asked.
    """
    mistakes = []
    for name, of_weights, of_correction, says in _MADE:
        pairs = [(weights, of_weights(weights)), (correction, of_correction(correction))]
        (find, replace), *also = [pair for pair in pairs if pair[0] != pair[1]]
        mistakes.append(Mistake(name, find=find, replace=replace, also=tuple(also), says=says))
        if constant_maximum is not None and of_weights is not of_correction:
            # Of one base the maximum's gradient is 0 in any case.
            name = f"{name}-and-a-constant-maximum"
            with_it = (*also, constant_maximum)
            mistakes.append(Mistake(name, find=find, replace=replace, also=with_it, says=says))
    return mistakes
