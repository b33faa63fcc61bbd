"""Known wrong versions of `grpo_loss` that bound log-ratios: in k3, or of whole sequences."""

from grader.kit import Mistake

RATIO = "ratio = log_ratio.exp()"
DIFFERENCE = "difference = log_probs - reference_log_probs"
K3 = "k3 = (-difference).exp() - 1 + difference"
ASKED = "Differences of up to 20 are asked for, and exp(20) is a number like any other."

MISTAKES = [
    *(
        Mistake(
            f"{what}-bounded-to-{bound}",
            find=find,
            replace=replace.format(bound),
            says=f"In your k3 {words}. Beyond that the penalty is wrong{too}. {ASKED}",
        )
        for bound in (5, 10, 15)
        for what, find, replace, words, too in (
            (
                "log-ratio-of-k3",
                DIFFERENCE,
                f"{DIFFERENCE.replace('= ', '= (')}).clamp(-{{0}}, {{0}})",
                f"d is bounded to ±{bound} (so that exp stays finite, for example)",
                ", and has no gradient to bring the token back to the reference",
            ),
            (
                "exponent-of-k3",
                K3,
                "k3 = (-difference).clamp(max={0}).exp() - 1 + difference",
                f"the exponent is bounded by {bound}, and the d beside it is not",
                ", and its gradient is that of d alone",
            ),
        )
    ),
    *(
        Mistake(
            f"{whose}s-log-ratio-bounded-{name}-10",
            find=RATIO,
            replace=f'ratio = (log_ratio.clamp({limits}) if importance == "{whose}" else log_ratio).exp()',
            says=f'With importance="{whose}" you bound the ratio\'s logarithm {words}10 before exp. Beyond '
            f"that the ratio is wrong and has no gradient: only clip bounds it. {ASKED}",
        )
        for whose in ("token", "sequence")
        for name, limits, words in (("to", "-10, 10", "to ±"), ("above-at", "max=10", "above, at "))
    ),
]
