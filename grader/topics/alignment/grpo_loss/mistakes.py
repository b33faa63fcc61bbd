"""Known wrong versions of `grpo_loss`: in the advantages, and where the ratio is clipped."""

from grader.kit import Mistake
from grader.kit.families.clipped_ratio import clipping_mistakes

CENTRED = "centred = rewards - rewards.mean(dim=1, keepdim=True)"
ONE = """\
    if rewards.shape[1] == 1:
        return centred  # one answer has no spread: its std would be NaN
"""
DIVIDED = "return centred / (rewards.std(dim=1, keepdim=True) + eps)"
CLIP = "clipped = ratio.clamp(1 - clip_low, 1 + clip_high)"

MISTAKES = [
    Mistake(
        "group-of-one-is-nan",
        find=ONE,
        replace="",
        says="A group of one answer gives NaN: torch.std of one number is. Its advantage is 0.",
    ),
    Mistake(
        "biased-standard-deviation",
        find=DIVIDED,
        replace="return centred / (rewards.std(dim=1, keepdim=True, unbiased=False) + eps)",
        says="You divide by the biased standard deviation (over n). Here it is torch.std's, over n - 1.",
    ),
    Mistake(
        "no-standard-deviation",
        find=DIVIDED,
        replace="return centred",
        says="You subtract the mean and do not divide by the standard deviation, as Dr. GRPO does. GRPO "
        "divides by std + eps.",
    ),
    Mistake(
        "variance-as-a-difference-of-squares",
        find=DIVIDED,
        replace="""\
n = rewards.shape[1]
    variance = rewards.square().mean(dim=1, keepdim=True) - rewards.mean(dim=1, keepdim=True).square()
    return centred / ((variance.clamp(min=0) * n / (n - 1)).sqrt() + eps)""",
        says="Your standard deviation is wrong where rewards lie far from 0 and differ by little: the mean "
        "of the squares minus the square of the mean is a small difference of large numbers, of which "
        "float32 keeps nothing. Take the mean off first, or torch.std.",
    ),
    Mistake(
        "variance-for-standard-deviation",
        find=DIVIDED,
        replace="return centred / (rewards.var(dim=1, keepdim=True) + eps)",
        says="You divide by the variance. It is its root, the standard deviation.",
    ),
    Mistake(
        "eps-under-the-root",
        find=DIVIDED,
        replace="return centred / (rewards.var(dim=1, keepdim=True) + eps).sqrt()",
        says="You add eps to the variance, under the root. It is added to the standard deviation.",
    ),
    Mistake(
        "eps-as-a-floor",
        find=DIVIDED,
        replace="return centred / rewards.std(dim=1, keepdim=True).clamp(min=eps)",
        says="You take eps as the least standard deviation. It is added to it: std + eps.",
    ),
    Mistake(
        "eps-fixed",
        find=DIVIDED,
        replace="return centred / (rewards.std(dim=1, keepdim=True) + 1e-4)",
        says="Your eps is always 1e-4, which is only its default.",
    ),
    Mistake(
        "no-eps",
        find=DIVIDED,
        replace="return centred / rewards.std(dim=1, keepdim=True)",
        says="A group of equal rewards is divided by 0: NaN. Add eps to the standard deviation.",
    ),
    Mistake(
        "eps-of-1e-8",
        find="eps: float = 1e-4",
        replace="eps: float = 1e-8",
        says="Your eps is 1e-8 by default. It is 1e-4, which counts where rewards hardly differ.",
    ),
    Mistake(
        "mean-of-all-groups",
        find=CENTRED,
        replace="centred = rewards - rewards.mean()",
        says="You subtract the mean of all rewards, so an easy prompt raises all of its answers and a hard "
        "one lowers them. An answer is compared with the others to its prompt: the mean of its row.",
    ),
    Mistake(
        "standard-deviation-of-all-groups",
        find=DIVIDED,
        replace="return centred / (rewards.std() + eps)",
        says="You divide by the standard deviation of all rewards. GRPO takes that of each group.",
    ),
    Mistake(
        "groups-in-the-columns",
        find=CENTRED,
        replace="centred = rewards - rewards.mean(dim=0, keepdim=True)",
        also=((DIVIDED, "return centred / (rewards.std(dim=0, keepdim=True) + eps)"),),
        says="You take mean and standard deviation down the columns, that is over the prompts. A group is a "
        "row.",
    ),
    Mistake(
        "mean-not-subtracted",
        find=CENTRED,
        replace="centred = rewards",
        says="You do not subtract the group's mean, so every rewarded answer is made more probable, also "
        "one that is worse than the others.",
    ),
    *clipping_mistakes(CLIP, "clip_low", "clip_high", own='importance == "token"'),
    Mistake(
        "one-bound-for-both-sides",
        find=CLIP,
        replace="clipped = ratio.clamp(1 - clip_low, 1 + clip_low)",
        says="Your upper bound is 1 + clip_low. It is 1 + clip_high, which DAPO sets higher so that "
        "improbable tokens can rise.",
    ),
    Mistake(
        "bounds-swapped",
        find=CLIP,
        replace="clipped = ratio.clamp(1 - clip_high, 1 + clip_low)",
        says="You use the two bounds on the wrong sides: the ratio is between 1 - clip_low and 1 + "
        "clip_high.",
    ),
    Mistake(
        "higher-bound-for-both-sides",
        find=CLIP,
        replace="clipped = ratio.clamp(1 - clip_high, 1 + clip_high)",
        says="Your lower bound is 1 - clip_high. Each side has its own: 1 - clip_low below, 1 + clip_high "
        "above.",
    ),
    Mistake(
        "clip-high-by-default-0.28",
        find="clip_high: float = 0.2,",
        replace="clip_high: float = 0.28,",
        says="Your clip_high is 0.28 by default, as in DAPO. Here it is 0.2.",
    ),
    Mistake(
        "rewards-overwritten",
        find=CENTRED,
        replace="centred = rewards.sub_(rewards.mean(dim=1, keepdim=True))",
        says="You subtract the mean from the caller's rewards in place (rewards -= ...). Make a new tensor.",
    ),
    Mistake(
        "other-words-are-a-key-error",
        find='raise ValueError(f"unknown aggregate {aggregate!r}")',
        replace='raise KeyError(f"unknown aggregate {aggregate!r}")',
        also=(
            (
                'raise ValueError(f"unknown importance {importance!r}")',
                'raise KeyError(f"unknown importance {importance!r}")',
            ),
        ),
        says="For another word you raise a KeyError, from a look into a dict, say. It is to be a ValueError.",
    ),
]
