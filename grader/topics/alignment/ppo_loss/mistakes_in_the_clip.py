"""Known wrong versions of `ppo_loss` that clip in another way."""

from grader.kit import Mistake

CLIPPED = "    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)\n"

MISTAKES = [
    *(
        Mistake(
            f"quotient-with-{id}-below",
            find="    ratio = log_ratio.exp()",
            replace=f"    ratio = log_probs.exp() / (old_log_probs.exp() + {epsilon})",
            says=f"Your ratio is a quotient of probabilities with {epsilon} added below. Where a token is "
            "very improbable that is 0 instead of about 1, and elsewhere it is off. The exponential of the "
            "difference of the logarithms needs no such number.",
        )
        for id, epsilon in (("1e-8", "1e-8"), ("less", "1e-10"), ("more", "1e-6"))
    ),
    Mistake(
        "wide-clips-raise",
        find=CLIPPED,
        replace="    clipped = log_ratio.clamp(math.log(1 - clip_range), math.log(1 + clip_range)).exp()\n",
        also=(("import torch\nfrom jax", "import math\n\nimport torch\nfrom jax"),),
        says="A clip_range of 1 or more raises: log(1 - clip_range) does not exist, for example. Any above 0 "
        "is asked; no ratio is below such a bound. Clip the ratio itself.",
    ),
    Mistake(
        "wide-clips-are-no-number",
        find=CLIPPED,
        replace="    bounds = [log_ratio.new_tensor(1 + side * clip_range).log() for side in (-1, 1)]\n"
        "    clipped = log_ratio.clamp(*bounds).exp()\n",
        says="A clip_range above 1 gives NaN: you clip the logarithm of the ratio, and that of a negative "
        "bound is no number. Clip the ratio itself.",
    ),
    Mistake(
        "clipped-ratio-flat-at-one",
        find=CLIPPED,
        replace="    change = ratio - 1\n"
        "    clipped = 1 + change.sign() * change.abs().clamp(max=clip_range)\n",
        says="Where the ratio is exactly 1, as in the first step after the tokens are drawn, your clipped "
        "ratio has a derivative of 0: that of abs and sign, for example. Inside the bounds it is the ratio "
        "itself, with a derivative of 1: clamp.",
    ),
    Mistake(
        "gradient-within-the-usual-bounds",
        find="    return -(gain * mask).sum() / mask.sum()",
        replace="""\
    usual = torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
    loss, other = (-(each * mask).sum() / mask.sum() for each in (gain, usual))
    return other + (loss - other).detach()""",
        says="Your values are right, but the gradient is that of the bounds 0.8 and 1.2, whatever clip_range "
        "is: they stand as numbers in a backward of your own, for example.",
    ),
]
