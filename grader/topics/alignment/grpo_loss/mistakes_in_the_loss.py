"""Known wrong versions of `grpo_loss`: in the divergence, the averages and the sequence's ratio."""

from grader.kit import Mistake

MEAN = "log_ratio = ((log_ratio * mask).sum(dim=1) / lengths).unsqueeze(1)"
K3 = "k3 = (-difference).exp() - 1 + difference"
LOSSES = "losses = kl_beta * k3 - gain"
OF_TOKENS = "return (losses * mask).sum() / lengths.sum()"
OF_SEQUENCES = "return ((losses * mask).sum(dim=1) / lengths).mean()"


def _of_rows(values: str, then: str) -> str:
    """The mean of each sequence, with the mask's row as an index."""
    return f"torch.stack([row[kept].mean() for row, kept in zip({values}, mask, strict=True)]){then}"


MISTAKES = [
    Mistake(
        "sign",
        find=LOSSES,
        replace="losses = gain - kl_beta * k3",
        says="You give gain minus divergence, which is to be maximized. The loss is minus that.",
    ),
    Mistake(
        "divergence-rewarded",
        find=LOSSES,
        replace="losses = -kl_beta * k3 - gain",
        says="You subtract the divergence, so that the policy is paid for leaving the reference. It is a "
        "penalty: add it to the loss.",
    ),
    Mistake(
        "divergence-of-the-sequence",
        find="difference = log_probs - reference_log_probs",
        replace="difference = old_log_probs + log_ratio - reference_log_probs",
        says="With importance='sequence' you put the sequence's mean ratio into k3, too. That is each "
        "token's own: the token's log_probs minus its reference_log_probs.",
    ),
    Mistake(
        "mask-as-an-index",
        find=OF_TOKENS,
        replace="return losses[mask].mean()",
        says="You index with the mask as it came. That picks tokens only with a boolean one: 0 and 1 as "
        "integers are numbers of rows, and floats are no index. Make it boolean first (mask != 0), or "
        "multiply.",
    ),
    Mistake(
        "mask-as-an-index-everywhere",
        find=OF_TOKENS,
        replace="return losses[mask].mean()",
        also=(
            (OF_SEQUENCES, f"return {_of_rows('losses', '.mean()')}"),
            (MEAN, f"log_ratio = {_of_rows('log_ratio', '.unsqueeze(1)')}"),
        ),
        says="You index with the mask as it came, for the means of the sequences too. That picks tokens only "
        "with a boolean one: 0 and 1 as integers are numbers of rows or places, and floats are no index. "
        "Make it boolean first (mask != 0), or multiply.",
    ),
    Mistake(
        "divergence-left-out",
        find=LOSSES,
        replace="losses = 0 * k3 - gain",
        says="The divergence from the reference is missing: kl_beta * k3 for every token.",
    ),
    Mistake(
        "kl-beta-left-out",
        find=LOSSES,
        replace="losses = k3 - gain",
        says="You add the divergence without kl_beta.",
    ),
    Mistake(
        "kl-beta-by-default-0.1",
        find="kl_beta: float = 0.04",
        replace="kl_beta: float = 0.1",
        says="Your kl_beta is 0.1 by default. It is 0.04.",
    ),
    Mistake(
        "divergence-times-the-advantage",
        find=LOSSES,
        replace="losses = kl_beta * k3 * advantages - gain",
        says="You multiply the divergence by the advantage, as if it were part of the reward. It is a term "
        "of its own, outside of the clipped gain.",
    ),
    Mistake(
        "k1-for-k3",
        find=K3,
        replace="k3 = difference",
        says="You penalize with k1, log policy - log reference, whose gradient is 0 on average. GRPO takes "
        "k3: exp(-d) - 1 + d.",
    ),
    Mistake(
        "k2-for-k3",
        find=K3,
        replace="k3 = difference.square() / 2",
        says="You penalize with k2, half of the square. GRPO takes k3: exp(-d) - 1 + d.",
    ),
    Mistake(
        "k3-with-the-inverted-ratio",
        find=K3,
        replace="k3 = difference.exp() - 1 - difference",
        says="Your k3 is exp(d) - 1 - d, that of tokens of the reference. These are the policy's own: "
        "exp(-d) - 1 + d, d being log policy - log reference.",
    ),
    Mistake(
        "k3-with-a-quotient-of-probabilities",
        find=K3,
        replace="k3 = reference_log_probs.exp() / log_probs.exp() - 1 + difference",
        says="Your k3 is NaN where a token is very improbable: you compute with its probabilities under both "
        "models, which are 0 there, and their quotient, for example, is 0 / 0. Take exp of the difference.",
    ),
    Mistake(
        "divergence-clamped",
        find=K3,
        replace="k3 = ((-difference).exp() - 1 + difference).clamp(max=10)",
        says="You bound k3, as some codebases do against outliers: beyond the bound nothing pulls a token "
        "back. Here it is used as it is.",
    ),
    Mistake(
        "divergence-from-the-old-policy",
        find="difference = log_probs - reference_log_probs",
        replace="difference = log_probs - old_log_probs",
        says="You take the divergence from the old policy. The clip keeps near that one; the penalty is for "
        "leaving the reference.",
    ),
    Mistake(
        "dapo-mean-for-grpo",
        find='    if aggregate == "token":\n',
        replace="    if True:\n",
        says="You average over all kept tokens, whatever aggregate says: that is DAPO. GRPO "
        '(aggregate="sequence") averages each sequence first.',
    ),
    Mistake(
        "grpo-mean-for-dapo",
        find='    if aggregate == "token":\n',
        replace="    if False:\n",
        says="You average each sequence and then the sequences, whatever aggregate says: that is GRPO. DAPO "
        '(aggregate="token") averages over all kept tokens of the batch.',
    ),
    Mistake(
        "means-swapped",
        find='    if aggregate == "token":\n',
        replace='    if aggregate == "sequence":\n',
        says='Your two averages have changed places: aggregate="token" is the mean over all kept tokens '
        '(DAPO), "sequence" that of the sequences\' means (GRPO).',
    ),
    Mistake(
        "divided-by-all-places",
        find=OF_SEQUENCES,
        replace="return (losses * mask).mean(dim=1).mean()",
        also=((OF_TOKENS, "return (losses * mask).mean()"),),
        says="You divide by the number of all places, padding too. Divide by the number of kept tokens.",
    ),
    Mistake(
        "dapo-divided-by-all-places",
        find=OF_TOKENS,
        replace="return (losses * mask).mean()",
        says='With aggregate="token" you divide by the number of all places, padding too. Divide by the '
        "number of kept tokens of the batch.",
    ),
    Mistake(
        "grpo-divided-by-all-places",
        find=OF_SEQUENCES,
        replace="return (losses * mask).mean(dim=1).mean()",
        says='With aggregate="sequence" you divide each sequence by the number of its places, padding too. '
        "Divide by the number of its kept tokens.",
    ),
    Mistake(
        "padding-counted",
        find=OF_SEQUENCES,
        replace="return losses.mean(dim=1).mean()",
        also=((OF_TOKENS, "return losses.expand_as(mask).mean()"),),
        says="You average over all places. Only kept tokens count.",
    ),
    Mistake(
        "sequences-summed",
        find=OF_SEQUENCES,
        replace="return (losses * mask).sum(dim=1).mean()",
        says="You add up each sequence's tokens and average the sums, so that long answers weigh more (Dr. "
        "GRPO does so, with a constant). GRPO divides each sum by its length.",
    ),
    Mistake(
        "gspo-ratio-for-all",
        find='    if importance == "sequence":\n',
        replace="    if True:\n",
        says='You always use the sequence\'s ratio: that is GSPO. With importance="token" (GRPO, DAPO) '
        "each token has its own.",
    ),
    Mistake(
        "token-ratio-for-all",
        find='    if importance == "sequence":\n',
        replace="    if False:\n",
        says='You always use each token\'s own ratio: that is GRPO. With importance="sequence" (GSPO) all '
        "tokens of a sequence have one, from the mean of their log-ratios.",
    ),
    Mistake(
        "gspo-ratio-not-normalized",
        find=MEAN,
        replace="log_ratio = (log_ratio * mask).sum(dim=1).unsqueeze(1)",
        says="Your sequence's ratio is the product of its tokens' ratios. GSPO takes the length-th root: "
        "exp of the mean of the log-ratios, not of their sum.",
    ),
    Mistake(
        "gspo-mean-over-all-places",
        find=MEAN,
        replace="log_ratio = log_ratio.mean(dim=1).unsqueeze(1)",
        says="Your sequence's ratio averages over padding and prompt, too. Average the log-ratios of its "
        "kept tokens.",
    ),
    Mistake(
        "gspo-divided-by-all-places",
        find=MEAN,
        replace="log_ratio = (log_ratio * mask).mean(dim=1).unsqueeze(1)",
        says="You divide the sum of a sequence's log-ratios by all its places. Divide by the number of its "
        "kept tokens.",
    ),
    Mistake(
        "gspo-mean-of-the-ratios",
        find=MEAN,
        replace="log_ratio = ((log_ratio.exp() * mask).sum(dim=1) / lengths).log().unsqueeze(1)",
        says="Your sequence's ratio is the mean of its tokens' ratios. It is exp of the mean of their "
        "logarithms, the geometric mean.",
    ),
    Mistake(
        "gspo-ratio-detached",
        find=MEAN,
        replace="log_ratio = ((log_ratio * mask).sum(dim=1) / lengths).unsqueeze(1).detach()",
        says='You cut the sequence\'s ratio off from the graph, so that with importance="sequence" nothing '
        "but the divergence is learned. The gradient flows through the mean into all tokens.",
    ),
    Mistake(
        "divergence-of-sequences",
        find="    difference = log_probs - reference_log_probs\n",
        replace="""\
    difference = log_probs - reference_log_probs
    if importance == "sequence":
        difference = ((difference * mask).sum(dim=1) / lengths).unsqueeze(1).expand_as(log_probs)
""",
        says='With importance="sequence" you take the divergence of whole sequences as well. k3 stays '
        "each token's own.",
    ),
    Mistake(
        "advantages-along-the-tokens",
        find="advantages = advantages.unsqueeze(1)",
        replace="advantages = advantages.unsqueeze(0)",
        says="You lay the advantages along the tokens: an error for most sizes, silently wrong where there "
        "are as many tokens as sequences. Each row has one: unsqueeze(1).",
    ),
    Mistake(
        "other-aggregates-accepted",
        find="""\
    if aggregate not in ("sequence", "token"):
        raise ValueError(f"unknown aggregate {aggregate!r}")
""",
        replace="",
        says='You accept any word for aggregate. Raise a ValueError unless it is "sequence" or "token".',
    ),
    Mistake(
        "other-importances-accepted",
        find="""\
    if importance not in ("token", "sequence"):
        raise ValueError(f"unknown importance {importance!r}")
""",
        replace="",
        says='You accept any word for importance. Raise a ValueError unless it is "token" or "sequence".',
    ),
    Mistake(
        "gspo-gain-by-sequences",
        find=OF_TOKENS,
        replace="""\
if importance == "sequence":
            return kl_beta * (k3 * mask).sum() / lengths.sum() - gain.mean()
        return (losses * mask).sum() / lengths.sum()""",
        says='With importance="sequence" and aggregate="token" you average the clipped gain over the '
        "sequences: all count the same, whatever their length. The mean is over tokens: each sequence's gain "
        "counts once for each of its kept tokens.",
    ),
    Mistake(
        "gspo-by-sequences",
        find='    if aggregate == "token":\n',
        replace='    if aggregate == "token" and importance == "token":\n',
        says='With importance="sequence" you always average each sequence and then the sequences, as GSPO '
        'does by itself. aggregate is chosen apart from it: "token" is the mean over all kept tokens here, '
        "too.",
    ),
]
