"""Known wrong versions of `ppo_loss`."""

from grader.kit import Mistake
from grader.kit.families.clipped_ratio import clipping_mistakes

CLIP = "clipped = ratio.clamp(1 - clip_range, 1 + clip_range)"
RETURN = "return -(gain * mask).sum() / mask.sum()"
DELTAS = "deltas = rewards + gamma * values[:, 1:] - values[:, :-1]"
FOLLOWING = "following = deltas[:, step] + gamma * lam * following"
GAE = "return advantages, advantages + values[:, :-1]"


def whitened(id_: str, those: str, unbiased: bool) -> Mistake:
    """With advantages that are normalized by the mean and the deviation of `those`."""
    return Mistake(
        id_,
        find="    ratio = log_ratio.exp()",
        replace=f"""\
    those = {those}
    advantages = (advantages - those.mean()) / (those.std(unbiased={unbiased}) + 1e-8)
    ratio = log_ratio.exp()""",
        says="You normalize the advantages inside of the loss. That is done before, over the whole batch, "
        "if at all: here they are used as they are.",
    )


def normalized(id_: str, unbiased: bool, returns_too: bool) -> Mistake:
    """With a gae whose advantages are normalized by their mean and deviation, after the returns or before."""
    kept, summed = ("", "advantages") if returns_too else ("summed = advantages\n    ", "summed")
    return Mistake(
        id_,
        find=GAE,
        replace=f"""\
{kept}advantages = (advantages - advantages.mean()) / (advantages.std(unbiased={unbiased}) + 1e-8)
    return advantages, {summed} + values[:, :-1]""",
        says="Your gae normalizes the advantages to mean 0 and standard deviation 1"
        + (", and makes the returns of these" if returns_too else "")
        + ". That is no part of it: give the sums as they are.",
    )


MISTAKES = [
    *clipping_mistakes(CLIP, "clip_range", "clip_range"),
    Mistake(
        "sign",
        find=RETURN,
        replace="return (gain * mask).sum() / mask.sum()",
        says="You give the gain itself. A loss is minimized: minus the gain.",
    ),
    Mistake(
        "clip-range-fixed",
        find=CLIP,
        replace="clipped = ratio.clamp(0.8, 1.2)",
        says="Your bounds are always 0.8 and 1.2. They are 1 - clip_range and 1 + clip_range.",
    ),
    Mistake(
        "mask-ignored",
        find=RETURN,
        replace="return -gain.mean()",
        says="You average over all places. Only kept tokens count: in the sum and in what it is divided by.",
    ),
    Mistake(
        "divided-by-all-places",
        find=RETURN,
        replace="return -(gain * mask).mean()",
        says="You set the other places to 0 and then divide by the number of all of them, so more padding "
        "means a smaller loss. Divide by the number of kept tokens.",
    ),
    Mistake(
        "only-losses-other-than-zero-counted",
        find=RETURN,
        replace="return -(gain * mask).sum() / (gain * mask).count_nonzero()",
        says="You divide by the number of losses that are not 0. A kept token counts where its advantage is "
        "0, too: divide by the number of kept tokens.",
    ),
    Mistake(
        "mean-of-the-sequences-means",
        find=RETURN,
        replace="return -((gain * mask).sum(1) / mask.sum(1)).mean()",
        says="You average each sequence and then these averages, as GRPO does. Here every kept token of the "
        "batch counts the same.",
    ),
    Mistake(
        "summed",
        find=RETURN,
        replace="return -(gain * mask).sum()",
        says="You sum over the kept tokens. The loss is their mean.",
    ),
    Mistake(
        "sum-over-sequences",
        find=RETURN,
        replace="return -(gain * mask).sum() / len(mask)",
        says="You divide the sum over the kept tokens by the number of sequences. Divide by the number of "
        "kept tokens.",
    ),
    Mistake(
        "booleans-only",
        find=RETURN,
        replace="return -gain[mask].mean()",
        says="You index with the mask. Where it is 0 and 1 as numbers, that picks rows 0 and 1 (or raises). "
        "Multiply by it, or make it boolean.",
    ),
    whitened("advantages-whitened", "advantages", unbiased=True),
    whitened("kept-advantages-whitened", "advantages[mask.bool()]", unbiased=True),
    whitened("kept-advantages-whitened-by-the-biased-deviation", "advantages[mask.bool()]", unbiased=False),
    Mistake(
        "next-value-undiscounted",
        find=DELTAS,
        replace="deltas = rewards + values[:, 1:] - values[:, :-1]",
        says="You do not discount the next state's value: delta = reward + gamma * next value - value.",
    ),
    Mistake(
        "next-value-left-out",
        find=DELTAS,
        replace="deltas = rewards - values[:, :-1]",
        says="The next state's value is missing: delta = reward + gamma * next value - value. Without it "
        "every step expects the whole future at once.",
    ),
    Mistake(
        "last-value-taken-for-zero",
        find=DELTAS,
        replace="""\
after = torch.cat([values[:, 1:-1], torch.zeros_like(values[:, :1])], dim=1)
    deltas = rewards + gamma * after - values[:, :-1]""",
        says="You take the value after the last step for 0. It stands in the last column of values, and is "
        "not 0 where the sequence was cut off.",
    ),
    Mistake(
        "value-signs-turned",
        find=DELTAS,
        replace="deltas = rewards + values[:, :-1] - gamma * values[:, 1:]",
        says="You add the present value and subtract the next one. The error is what came, reward plus "
        "gamma times the next value, minus what was expected.",
    ),
    Mistake(
        "lam-left-out",
        find=FOLLOWING,
        replace="following = deltas[:, step] + gamma * following",
        says="lam is missing: later errors count gamma * lam for each step. Without it these are plain "
        "returns minus values (lam = 1).",
    ),
    Mistake(
        "gamma-left-out",
        find=FOLLOWING,
        replace="following = deltas[:, step] + lam * following",
        says="You weight later errors with lam alone. Each step further off counts gamma * lam.",
    ),
    Mistake(
        "lam-in-the-error",
        find=DELTAS,
        replace="deltas = rewards + gamma * lam * values[:, 1:] - values[:, :-1]",
        says="You discount the next value by gamma * lam. In the error of a step it is gamma alone.",
    ),
    Mistake(
        "one-step-only",
        find=FOLLOWING,
        replace="following = deltas[:, step]",
        says="Your advantages are the errors of single steps (lam = 0). Later errors count too, with gamma "
        "* lam for each step.",
    ),
    Mistake(
        "forwards",
        find="reversed(range(rewards.shape[1]))",
        replace="range(rewards.shape[1])",
        says="You add up from the first step on, so that an advantage contains earlier errors. What a step "
        "leads to comes later: go backwards.",
    ),
    Mistake(
        "returns-from-the-next-values",
        find=GAE,
        replace="return advantages, advantages + values[:, 1:]",
        says="You add the values of the following states. The return of a step is its advantage plus the "
        "value of its own state, values[:, :-1].",
    ),
    Mistake(
        "returns-are-rewards-to-go",
        find=GAE,
        replace="""\
returns = torch.zeros_like(rewards)
    ahead = values[:, -1]
    for step in reversed(range(rewards.shape[1])):
        ahead = rewards[:, step] + gamma * ahead
        returns[:, step] = ahead
    return advantages, returns""",
        says="Your returns are the discounted sums of the rewards (lam = 1). Here the returns are "
        "advantages + values, with the same lam.",
    ),
    normalized("estimates-normalized", unbiased=True, returns_too=False),
    normalized("estimates-normalized-by-the-biased-deviation", unbiased=False, returns_too=False),
    normalized("estimates-normalized-before-the-returns", unbiased=True, returns_too=True),
    normalized("estimates-normalized-before-the-returns-by-the-biased-deviation", False, returns_too=True),
    Mistake(
        "sums-divided-by-powers",
        find=GAE,
        replace="""\
powers = (gamma * lam) ** torch.arange(rewards.shape[1], device=rewards.device, dtype=rewards.dtype)
    advantages = (deltas * powers).flip(1).cumsum(dim=1).flip(1) / powers
    return advantages, advantages + values[:, :-1]""",
        says="You sum up the deltas times powers of gamma * lam and divide by these: with gamma * lam = 0 "
        "that is 0 / 0, and in long sequences the powers vanish. Go from the end to the start.",
    ),
    Mistake(
        "order-swapped",
        find=GAE,
        replace="return advantages + values[:, :-1], advantages",
        says="You give (returns, advantages). The advantages come first.",
    ),
    Mistake(
        "defaults-swapped",
        find="gamma: float = 1.0,\n    lam: float = 0.95,",
        replace="gamma: float = 0.95,\n    lam: float = 1.0,",
        says="Your gamma is 0.95 and lam 1 by default. It is the other way round: for answers of a language "
        "model the end counts in full.",
    ),
    Mistake(
        "gamma-of-0.99",
        find="gamma: float = 1.0,",
        replace="gamma: float = 0.99,",
        says="Your gamma is 0.99 by default, as for games. Here it is 1: for answers of a language model the "
        "end counts in full.",
    ),
    Mistake(
        "rewards-written-to",
        find="advantages = torch.zeros_like(rewards)",
        replace="advantages = rewards",
        says="You write to the caller's rewards (in place, or through another name for them): the "
        "advantages, for example, or what is added to the last reward. Take a new tensor.",
    ),
    Mistake(
        "advantages-in-the-default-dtype",
        find="advantages = torch.zeros_like(rewards)",
        replace="advantages = torch.zeros(rewards.shape)",
        says="You collect the advantages in a tensor of the default dtype, on the default device: float64 is "
        "rounded there, and arguments on another device do not fit to it. torch.zeros_like takes dtype and "
        "device from a tensor.",
    ),
    Mistake(
        "advantages-on-the-default-device",
        find="advantages = torch.zeros_like(rewards)",
        replace="advantages = torch.zeros(rewards.shape, dtype=rewards.dtype)",
        says="You make a tensor on the default device: where the arguments are on another one, it does not "
        "fit to them. torch.zeros_like takes device and dtype from a tensor.",
    ),
    Mistake(
        "default-clip-range",
        find="clip_range: float = 0.2",
        replace="clip_range: float = 0.1",
        says="Your default clip_range is 0.1. It is 0.2.",
    ),
    Mistake(
        "lower-bound-inverted",
        find="ratio.clamp(1 - clip_range,",
        replace="ratio.clamp(1 / (1 + clip_range),",
        says="Your lower bound is one over the upper one. It lies as far below 1 as the upper one above: "
        "1 - clip_range.",
    ),
    Mistake(
        "values-written-to",
        find="    deltas = rewards + gamma * values[:, 1:] -",
        replace="    values[:, 1:] *= gamma\n    deltas = rewards + values[:, 1:] -",
        says="gae writes into values, where it discounts them in place, for example: the other terms then "
        "read other values, and so does the caller. Make a new tensor.",
    ),
    Mistake(
        "log-ratio-for-the-ratio",
        find="    ratio = log_ratio.exp()",
        replace="    ratio = log_ratio",
        says="Your ratio is the difference of the log-probabilities, which is the ratio's logarithm. Take "
        "exp of it: then a token that is as probable as before has the ratio 1.",
    ),
    Mistake(
        "divided-by-powers",
        find="    advantages = torch.zeros_like(rewards)\n",
        replace="""\
    if gamma * lam > 0:
        powers = (gamma * lam) ** torch.arange(rewards.shape[1], device=rewards.device).to(rewards.dtype)
        advantages = (deltas * powers).flip(1).cumsum(1).flip(1) / powers
        return advantages, advantages + values[:, :-1]
    advantages = torch.zeros_like(rewards)
""",
        says="You multiply the errors by powers of gamma lam, add them up and divide by the powers again. In "
        "a long row a power underflows to 0, and 0 / 0 is NaN: from the back to the front, A_t = delta_t + "
        "gamma lam A_(t+1), there are no powers.",
    ),
    *(
        Mistake(
            f"lam-of-{lam}-by-default",
            find="lam: float = 0.95",
            replace=f"lam: float = {lam}",
            says=f"Your lam is {lam} by default. It is 0.95.",
        )
        for lam in ("0.9", "0.97", "1.0")
    ),
]
