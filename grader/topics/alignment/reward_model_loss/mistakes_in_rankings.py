"""Known wrong versions of the rankings of `reward_model_loss`, and of what pairs and rankings share."""

from grader.kit import Mistake

LOSS = "loss = -F.logsigmoid(chosen - rejected - margin).mean()"
PAIRS = (
    "better, worse = torch.triu_indices(rewards.shape[1], rewards.shape[1], offset=1, device=rewards.device)"
)
RANKED = "return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean()"

MISTAKES = [
    Mistake(
        "no-gradient-at-ties",
        find=LOSS,
        replace="gaps = chosen - rejected - margin\n"
        "    loss = (torch.relu(-gaps) + torch.log1p(torch.exp(-gaps.abs()))).mean()",
        also=(
            (
                RANKED,
                "gaps = rewards[:, better] - rewards[:, worse]\n"
                "    return (torch.relu(-gaps) + torch.log1p(torch.exp(-gaps.abs()))).mean()",
            ),
        ),
        says="At ties, where a difference is exactly 0, no gradient comes from it: PyTorch gives relu and "
        "abs the gradient 0 there, for example. -log sigmoid is smooth, with the slope -1/2 at 0: "
        "F.logsigmoid and F.softplus have it.",
    ),
    Mistake(
        "twice-the-gradient-at-ties",
        find=LOSS,
        replace="gaps = chosen - rejected - margin\n"
        "    loss = ((-gaps).clamp(min=0) + torch.log1p(torch.exp(-gaps.abs()))).mean()",
        also=(
            (
                RANKED,
                "gaps = rewards[:, better] - rewards[:, worse]\n"
                "    return ((-gaps).clamp(min=0) + torch.log1p(torch.exp(-gaps.abs()))).mean()",
            ),
        ),
        says="At ties, where a difference is exactly 0, its gradient is twice what it should be: PyTorch "
        "gives clamp(min=0) the gradient 1 there, and abs 0, for example. The slope of -log sigmoid at 0 is "
        "-1/2: F.logsigmoid and F.softplus have it.",
    ),
    Mistake(
        "neighbours-only",
        find=PAIRS,
        replace="better = torch.arange(rewards.shape[1] - 1, device=rewards.device)\n    worse = better + 1",
        says="You compare neighbours only. All pairs i < j count: k (k - 1) / 2 of them.",
    ),
    Mistake(
        "best-against-the-others",
        find=PAIRS,
        replace="worse = torch.arange(1, rewards.shape[1], device=rewards.device)\n    better = 0 * worse",
        says="You compare the best answer with each other one only. All pairs i < j count.",
    ),
    Mistake(
        "diagonal-too",
        find="offset=1",
        replace="offset=0",
        says="You compare each answer with itself as well, which adds log 2 each time. Pairs have i < j.",
    ),
    Mistake(
        "diagonal-summed",
        find=PAIRS,
        replace=PAIRS.replace("offset=1", "offset=0"),
        also=(
            (
                RANKED,
                "losses = -F.logsigmoid(rewards[:, better] - rewards[:, worse])\n"
                "    return losses.sum() / losses.shape[0] / (rewards.shape[1] * (rewards.shape[1] - 1) / 2)",
            ),
        ),
        says="You add up the comparison of each answer with itself as well, log 2 each time. Pairs have i "
        "< j.",
    ),
    Mistake(
        "pairs-counted-twice",
        find=RANKED,
        replace="return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean() / 2",
        says="Your ranking loss is half of what it should be: you divide by k (k - 1), for example. There "
        "are k (k - 1) / 2 pairs.",
    ),
    Mistake(
        "sum-over-the-prompts",
        find=RANKED,
        replace="return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean(dim=1).sum()",
        says="You add up the prompts. It is the mean over the pairs, and over the prompts.",
    ),
    Mistake(
        "all-ordered-pairs",
        find=RANKED,
        replace="gaps = rewards.unsqueeze(2) - rewards.unsqueeze(1)\n    return -F.logsigmoid(gaps).mean()",
        says="You take all ordered pairs, also each worse answer against a better one, and each against "
        "itself. Only i < j, the better one first.",
    ),
    Mistake(
        "zeroed-differences-averaged-too",
        find=RANKED,
        replace="gaps = rewards.unsqueeze(2) - rewards.unsqueeze(1)\n"
        "    return -F.logsigmoid(gaps.triu(1)).mean()",
        says="You set the differences of the pairs that do not count to 0 and average over all k * k, where "
        "each of them is log 2, and not 0. Select the pairs i < j, and average over these alone.",
    ),
    Mistake(
        "zeroed-differences-summed-too",
        find=RANKED,
        replace="gaps = rewards.unsqueeze(2) - rewards.unsqueeze(1)\n"
        "    return -F.logsigmoid(gaps.triu(1)).sum(dim=(1, 2)).mean() / better.numel()",
        says="You set the differences of the pairs that do not count to 0, and each of them adds log 2, and "
        "not 0, to your sum. Select the pairs i < j, or set their losses to 0 instead.",
    ),
    *(
        Mistake(
            f"plackett-luce{id}",
            find=RANKED,
            replace=f"""\
count = rewards.shape[1]
    losses = [rewards[:, i:].logsumexp(dim=1) - rewards[:, i] for i in range(count - 1)]
    return torch.stack(losses).{reduced}""",
            says="Your ranking loss is that of Plackett and Luce (ListMLE): each answer against all that are "
            "worse at once, by a softmax. Asked for is -log sigmoid of each pair by itself, and the mean "
            "over the pairs i < j.",
        )
        for id, reduced in (
            ("", "mean()"),
            ("-summed-over-places", "sum(dim=0).mean()"),
            ("-divided-by-k", "sum(dim=0).mean() / count"),
        )
    ),
    Mistake(
        "worst-first",
        find="rewards[:, better] - rewards[:, worse]",
        replace="rewards[:, worse] - rewards[:, better]",
        says="You take the columns from the worst to the best. The first is the best answer.",
    ),
    Mistake(
        "sum-over-the-pairs-of-a-prompt",
        find=RANKED,
        replace="return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).sum(dim=1).mean()",
        says="You add up the pairs of a prompt: with more answers a prompt would count more. It is the mean "
        "over the pairs, and over the prompts.",
    ),
    Mistake(
        "sum-over-everything",
        find=RANKED,
        replace="return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).sum()",
        says="You add up all pairs of all prompts. It is the mean over the pairs, and over the prompts.",
    ),
    Mistake(
        "ranking-with-log-of-sigmoid",
        find=RANKED,
        replace="return -torch.sigmoid(rewards[:, better] - rewards[:, worse]).log().mean()",
        says="Your ranking loss is inf, or its gradient NaN, where a worse answer leads by far: the "
        "sigmoid is 0 there, and its log -inf, for example. F.logsigmoid is right everywhere.",
    ),
    Mistake(
        "pairs-along-the-prompts",
        find=PAIRS,
        replace="rewards = rewards.T\n    " + PAIRS,
        says="You compare the answers of different prompts, along dim 0. The answers to a prompt are the "
        "columns.",
    ),
    Mistake(
        "ties-left-out-of-the-ranking",
        find=RANKED,
        replace="gaps = (rewards.unsqueeze(2) - rewards.unsqueeze(1)).triu(1)\n"
        "    gaps = gaps[gaps != 0]\n"
        "    return -F.logsigmoid(gaps).mean()",
        says="You find the pairs by their differences, all that are not 0, so two answers with the same "
        "reward make no pair. They are a pair like any other, whose loss is log 2. Choose pairs by their "
        "places.",
    ),
]
