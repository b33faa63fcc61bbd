"""Known wrong versions of `cosine_schedule` that round rates, or keep them above a floor."""

from grader.kit import Mistake

_WARMUP = "return max_lr * step / warmup_steps"
_RATE = "return min_lr + (max_lr - min_lr) * share"

MISTAKES = [
    *(
        Mistake(
            f"rounded-to-{digits}-decimals",
            find=_WARMUP,
            replace=f"return round(max_lr * step / warmup_steps, {digits})",
            also=((_RATE, f"return round(min_lr + (max_lr - min_lr) * share, {digits})"),),
            says=f"You round the rate, to {digits} decimals for example. Of a small rate that leaves few "
            "digits, and nine of max_lr are asked for: give the rate as it is.",
        )
        for digits in (6, 8, 9, 10, 12, 13, 15)
    ),
    *(
        Mistake(
            f"never-below-{name}",
            find=_WARMUP,
            replace=f"return max(max_lr * step / warmup_steps, {floor}) if step else 0.0",
            also=((_RATE, f"return max(min_lr + (max_lr - min_lr) * share, {floor})"),),
            says=f"Your rate is never below some floor ({floor}, for example). It is what warm-up and cosine "
            "give, however small max_lr is.",
        )
        for name, floor in (("1e-8", "1e-8"), ("1e-7", "1e-7"), ("1e-6", "1e-6"))
    ),
]
