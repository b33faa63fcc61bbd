"""Known wrong versions of `softmax` that keep exp and log from their bounds by other means than a shift."""

import math
from collections.abc import Iterator

from grader.kit import Mistake

LARGEST = "    largest = x.amax(dim=dim, keepdim=True)"
EXPS = "    exps = torch.exp(x - largest)"
SHIFTED = "    shifted = x - x.amax(dim=dim, keepdim=True)"
PROBABILITIES = "    return shifted - log_total"

NOT_BELOW_ZERO = (
    "you subtract the largest logit of a slice only where it is positive (the maximum begins at 0, or is "
    "clamped there, for example). Where all logits of a slice are very negative all exponentials underflow "
    "to 0, and 0 / 0 is NaN, or log(0) -inf. Subtract the largest whatever its sign is."
)
NOT_WHERE_SMALL = (
    "you subtract the maximum only where some logit is large enough for exp to overflow. It underflows, too: "
    "where all logits of a slice are very negative all its exponentials are 0, and 0 / 0 is NaN, or log(0) "
    "-inf. (And a sum of exponentials overflows before each of them does.) Subtract it always."
)
DIVIDED = (
    "you divide the logits of a slice by the largest of their sizes, so that exp cannot overflow. That makes "
    "other probabilities: they depend on the differences of the logits, which a factor changes and a shift "
    "does not. Subtract the slice's maximum instead."
)


def in_either(
    mistake_id: str, softmax: tuple[str, str], log: tuple[str, str], says: str
) -> Iterator[Mistake]:
    """In softmax, in log_softmax and in both: `softmax` and `log` are what to find and what to put there.
    `says` follows where it is.
    """
    for name, where, edits in [
        (mistake_id, "In both functions", (softmax, log)),
        (f"softmax-{mistake_id}", "In softmax", (softmax,)),
        (f"log-{mistake_id}", "In log_softmax", (log,)),
    ]:
        (find, replace), *also = edits
        yield Mistake(name, find=find, replace=replace, also=tuple(also), says=f"{where} {says}")


MISTAKES = [
    Mistake(
        "log-sum-added",
        find=PROBABILITIES,
        replace="    return shifted + log_total",
        also=((SHIFTED, f"{SHIFTED}.detach()"),),
        says="You add the logarithm of the sum. It is subtracted, as the logarithm of a quotient has it: x - "
        "(largest + log(sum)). Without the parentheses both need a minus.",
    ),
    Mistake(
        "log-of-softmax-in-float64",
        find="    return shifted - log_total",
        replace="""\
    masked = x == float("-inf")
    exps = shifted.double().exp()
    p = (exps / exps.sum(dim=dim, keepdim=True)).masked_fill(masked, 1.0)
    return torch.where(masked, x, p.log().to(x.dtype))""",
        says="You take the logarithm of the softmax in float64, say. There too a probability underflows to "
        "0, 745 below the largest logit, and gives log(0) = -inf and a NaN gradient. Work with logarithms "
        "throughout: shifted - log(sum(exp(shifted))).",
    ),
    *in_either(
        "maximum-not-below-zero",
        (LARGEST, f"{LARGEST}.clamp(min=0)"),
        (SHIFTED, f"{SHIFTED}.clamp(min=0)"),
        NOT_BELOW_ZERO,
    ),
    *(
        mistake
        for name, limits in (("small", "88.0, 709.0"), ("well-below-the-bound", "80.0, 700.0"))
        for limit in [f"({limits})[x.dtype == torch.float64]"]
        for mistake in in_either(
            f"not-shifted-where-{name}",
            (EXPS, EXPS.replace("x - largest", f"x if x.max() < {limit} else x - largest")),
            (SHIFTED, f"{SHIFTED}\n    shifted = x if x.max() < {limit} else shifted"),
            NOT_WHERE_SMALL,
        )
    ),
    *(
        mistake
        for name, sizes in (
            ("size", "x.abs()"),
            ("constant-size", "x.detach().abs()"),
            ("finite-size", "x.abs().masked_fill(x.isinf(), 0.0)"),
            ("constant-finite-size", "x.detach().abs().masked_fill(x.isinf(), 0.0)"),
        )
        for size in [f"{sizes}.amax(dim=dim, keepdim=True)"]
        for guarded in [f"torch.where({size} == 0, 1.0, {size})" if "finite" in name else size]
        for mistake in in_either(
            f"divided-by-the-largest-{name}",
            (EXPS, f"    exps = torch.exp(x / ({guarded}))"),
            (SHIFTED, f"    shifted = x / ({guarded})"),
            DIVIDED,
        )
    ),
    *(
        Mistake(
            f"log-of-softmax-clipped-to-{epsilon}",
            find=PROBABILITIES,
            replace=f"    return torch.log(softmax(x, dim).clamp({epsilon}, 1 - {epsilon}))",
            says=f"You clip the probabilities to [{epsilon}, 1 - {epsilon}] before the logarithm, as losses "
            "of other libraries do with those that they get. No log-probability can then fall below "
            f"log({epsilon}) = {math.log(float(epsilon)):.1f}, and beyond the bounds there is no gradient. "
            "shifted - log(sum(exp(shifted))) needs no bound, because the sum is at least 1.",
        )
        for epsilon in ("1e-6", "1e-7", "1e-8", "1e-12")
    ),
    *(
        Mistake(
            f"log-of-softmax-{name}-{epsilon}",
            find=PROBABILITIES,
            replace=f"    return torch.log(softmax(x, dim){kept.format(epsilon)})",
            says="You keep the probability from 0 before the logarithm, with a small number (added, or as a "
            "lower bound). No log-probability can then fall below "
            f"log({epsilon}) = {math.log(float(epsilon)):.1f}, and there is hardly a gradient, or none, "
            "where the model is most wrong. shifted - log(sum(exp(shifted))) needs no such number, because "
            "the sum is at least 1.",
        )
        for name, kept, epsilons in (
            ("plus", " + {}", ("1e-5", "1e-6", "1e-7", "1e-15")),
            ("at-least", ".clamp(min={})", ("1e-5", "1e-6", "1e-7")),
        )
        for epsilon in epsilons
    ),
    *in_either(
        "mean-of-the-finite-subtracted",
        *(
            (line, line.replace("x.amax(", "x.where(x > -torch.inf, torch.nan).nanmean("))
            for line in (LARGEST, SHIFTED)
        ),
        "you subtract the mean of the finite logits. The largest may still be far above it, so that exp "
        "overflows. Subtract the slice's maximum.",
    ),
    Mistake(
        "log-of-the-unshifted-sum",
        find="    log_total = torch.exp(shifted).sum(",
        replace="    log_total = torch.exp(x).sum(",
        says="In log_softmax you subtract the maximum from the logits, but not in the sum of the "
        "exponentials: all results are off by the maximum, and the sum still overflows. Both need the same "
        "shift: shifted - log(sum(exp(shifted))).",
    ),
]
