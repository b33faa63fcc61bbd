"""For policy losses with a clipped ratio of probabilities: PPO's, and those that grew out of it."""

import torch
from torch import Tensor

from grader.kit.generators import Rng
from grader.kit.mistakes import Mistake

RATIO = "ratio = log_ratio.exp()"
GAIN = "gain = torch.minimum(ratio * advantages, clipped * advantages)"


def clipped_gain(ratio: Tensor, advantage: Tensor, low: float, high: float) -> Tensor:
    """The oracle: the ratio is bounded on the side to which the advantage pulls it."""
    return advantage * torch.where(advantage > 0, ratio.clamp(max=1 + high), ratio.clamp(min=1 - low))


def far_tokens(rng: Rng, apart: float) -> tuple[Tensor, Tensor, Tensor]:
    """New and old log-probabilities, `apart` from each other (but for 10 %), and advantages of the sign with
    which no bound counts. A sequence of three tokens."""
    old = -rng.uniform(1, 3, low=20.0, high=23.0)
    advantages = rng.uniform(1, 3, low=0.5, high=2.0) * (-1.0 if apart > 0 else 1.0)
    return old + apart * rng.uniform(1, 3, low=0.9, high=1.0), old, advantages


def clipping_mistakes(clip: str, low: str, high: str, own: str = "True") -> list[Mistake]:
    """Known wrong versions of a solution with the two lines above, a `log_ratio` before them, and `clip`, the
    line that bounds the ratio between 1 - `low` and 1 + `high`. `own`: an expression, whether each token has
    its own ratio.
    """
    quotient = "log_probs.exp() / old_log_probs.exp()"
    return [
        Mistake(
            "ratio-inverted",
            find=RATIO,
            replace="ratio = (-log_ratio).exp()",
            says="Your ratio is old over new. It is new over old, exp(log_probs - old_log_probs): above 1 "
            "where the token has become more probable.",
        ),
        Mistake(
            "ratio-as-a-quotient",
            find=RATIO,
            replace=f"ratio = {quotient} if {own} else log_ratio.exp()",
            says="Your ratio is NaN where a token is very improbable: you compute with its new and its old "
            "probability, which are 0 there, and their quotient, for example, is 0 / 0. Take exp of the "
            "difference of the logarithms.",
        ),
        Mistake(
            "ratio-of-logarithms",
            find=RATIO,
            replace="ratio = 1 + log_ratio",
            says="You use the difference of the log-probabilities without exp. It is only near 1 that "
            "exp(x) is about 1 + x.",
        ),
        Mistake(
            "never-clipped",
            find=GAIN,
            replace="gain = ratio * advantages",
            says="Your ratio is never bounded, so one batch can be followed as far as it leads. Take the "
            "smaller of ratio * A and clipped ratio * A.",
        ),
        Mistake(
            "always-clipped",
            find=GAIN,
            replace="gain = clipped * advantages",
            says="You always use the clipped ratio, so a token that has moved the wrong way beyond the "
            "bound gets no gradient to bring it back. Take the smaller of ratio * A and clipped ratio * A.",
        ),
        Mistake(
            "larger-instead-of-smaller",
            find=GAIN,
            replace="gain = torch.maximum(ratio * advantages, clipped * advantages)",
            says="You take the larger of the two gains. The smaller one is the pessimistic bound: minus the "
            "minimum, or the maximum of the two negative ones.",
        ),
        Mistake(
            "smaller-ratio",
            find=GAIN,
            replace="gain = torch.minimum(ratio, clipped) * advantages",
            says="You take the smaller ratio and then multiply by the advantage. With a negative advantage "
            "the smaller gain belongs to the larger ratio: multiply first.",
        ),
        Mistake(
            "advantage-by-its-sign",
            find=GAIN,
            replace="gain = torch.minimum(ratio, clipped) * advantages.abs()",
            says="You drop the sign of the advantage. A negative one says that the token should become less "
            "probable.",
        ),
        Mistake(
            "log-ratio-clipped",
            find=clip,
            replace=f"clipped = log_ratio.clamp(-{low}, {high}).exp()",
            says="You bound the logarithm of the ratio. The ratio itself is bounded, between 1 - range and "
            "1 + range.",
        ),
        Mistake(
            "clipped-above-only",
            find=clip,
            replace=f"clipped = ratio.clamp(max=1 + {high})",
            says="You bound the ratio above only. With a negative advantage the lower bound is the one that "
            "counts.",
        ),
        Mistake(
            "clipped-below-only",
            find=clip,
            replace=f"clipped = ratio.clamp(min=1 - {low})",
            says="You bound the ratio below only. With a positive advantage the upper bound is the one that "
            "counts.",
        ),
        Mistake(
            "clipped-around-zero",
            find=clip,
            replace=f"clipped = ratio.clamp(-{low}, {high})",
            says="You bound the ratio around 0. Nothing has changed where it is 1: bound it between 1 - "
            "range and 1 + range.",
        ),
        Mistake(
            "dual-clip",
            find=GAIN,
            replace=f"""\
{GAIN}
    gain = torch.where(advantages < 0, torch.maximum(gain, 3 * advantages), gain)""",
            says="You bound the loss once more where the advantage is negative and the ratio large (dual "
            "clip). The plain loss goes on: such a token is to be brought back.",
        ),
        Mistake(
            "ratio-detached",
            find=RATIO,
            replace="ratio = log_ratio.exp().detach()",
            says="Your ratio is cut off from the graph, so that no gradient reaches log_probs through it. "
            "The old log-probabilities are constants, the new ones are not.",
        ),
        Mistake(
            "clipped-ratio-detached",
            find=clip,
            replace=f"{clip}.detach()",
            says="You cut the clipped ratio off from the graph. Within the bounds it is the ratio itself and "
            "the two gains are equal, so half of the gradient is lost there. Beyond them clamp gives none "
            "anyhow.",
        ),
        *(
            Mistake(
                f"log-ratio-bounded-{name}-{bound}",
                find=RATIO,
                replace=f"ratio = log_ratio.clamp({limits.format(bound)}).exp()",
                says=f"You bound the ratio's logarithm {words}{bound} before exp (so that it stays finite, "
                "for example). Beyond that the ratio is wrong, and has no gradient to bring the token back. "
                "Differences of up to 20 are asked for, and exp(20) is a number like any other: only clip "
                "bounds the ratio.",
            )
            for bound in (5, 10, 15)
            for name, limits, words in (("to", "-{0}, {0}", "to ±"), ("above-at", "max={0}", "above, at "))
        ),
    ]
