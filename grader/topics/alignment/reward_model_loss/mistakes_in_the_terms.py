"""Known wrong versions of `reward_model_loss`: last token, margin, center, accuracy, and what overflows."""

from grader.kit import Mistake


def differences_clamped(bound: int | None = None) -> tuple[Mistake, Mistake]:
    """Of pairs and of rankings. Without a bound that is named it is 100: losses tell which one it is."""
    named, limits = (f"-at-{bound}", (-bound, bound)) if bound else ("", (-100, 100))
    return (
        Mistake(
            f"differences-clamped{named}",
            find="F.logsigmoid(chosen - rejected - margin)",
            replace=f"F.logsigmoid((chosen - rejected - margin).clamp{limits})",
            says="You clamp the differences, so that beyond the bound the loss no longer grows, and has no "
            "gradient. logsigmoid needs no clamp.",
        ),
        Mistake(
            f"ranking-differences-clamped{named}",
            find="-F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean()",
            replace=f"-F.logsigmoid((rewards[:, better] - rewards[:, worse]).clamp{limits}).mean()",
            says="In ranking_loss you clamp the differences: beyond the bound the loss no longer grows, and "
            "has no gradient.",
        ),
    )


MISTAKES = [
    Mistake(
        "branch-not-taken-overflows",
        find="    loss = -F.logsigmoid(chosen - rejected - margin).mean()",
        replace="""\
    z = chosen - rejected - margin
    loss = -torch.where(z >= 0, -torch.log1p(torch.exp(-z)), z - torch.log1p(torch.exp(z))).mean()""",
        also=(
            (
                "    return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean()",
                """\
    z = rewards[:, better] - rewards[:, worse]
    return -torch.where(z >= 0, -torch.log1p(torch.exp(-z)), z - torch.log1p(torch.exp(z))).mean()""",
            ),
        ),
        says="You build log sigmoid of two branches with torch.where. The exp of the branch that is not "
        "taken overflows, and its gradient, inf * 0, is NaN: use logsigmoid or softplus.",
    ),
    Mistake(
        "branch-not-taken-overflows-in-the-loss",
        find="    loss = -F.logsigmoid(chosen - rejected - margin).mean()",
        replace="""\
    z = chosen - rejected - margin
    loss = -torch.where(z >= 0, -torch.log1p(torch.exp(-z)), z - torch.log1p(torch.exp(z))).mean()""",
        says="In reward_model_loss you build log sigmoid of two branches with torch.where. The exp of the "
        "branch that is not taken overflows, and its gradient is NaN: logsigmoid, as for rankings.",
    ),
    Mistake(
        "mean-over-the-whole-table",
        find="    return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean()",
        replace=(
            "    return -F.logsigmoid(rewards[:, :, None] - rewards[:, None, :]).triu(diagonal=1).mean()"
        ),
        also=(
            (
                """\
    better, worse = torch.triu_indices(rewards.shape[1], rewards.shape[1], offset=1, device=rewards.device)
""",
                "",
            ),
        ),
        says="You set all but the pairs i < j of the k x k table to 0 and take the mean of the table, which "
        "divides by k * k. There are k (k - 1) / 2 pairs.",
    ),
    Mistake(
        "padded-left-or-right",
        find="""\
    last = (places * mask.bool()).argmax(dim=1)  # (batch,) the largest place that is kept
""",
        replace="""\
    kept, width = mask.long(), mask.shape[1]
    last = torch.where(kept[:, -1] == 1, width - 1, kept.sum(dim=1) - 1)
    exact = width - 1 - kept.flip(1).argmax(dim=1)
    last = torch.where((kept[:, 0] == 1) | (kept[:, -1] == 1), last, exact)
""",
        also=(("    places = torch.arange(mask.shape[1], device=mask.device)\n", ""),),
        says="You take a mask for padded on the left or on the right: the last column, or the number of "
        "tokens less one. Padding may be in between: look for the last real token itself.",
    ),
    Mistake(
        "last-column-or-the-count",
        find="""\
    last = (places * mask.bool()).argmax(dim=1)  # (batch,) the largest place that is kept
""",
        replace="""\
    kept, width = mask.long(), mask.shape[1]
    last = torch.where(kept[:, -1] == 1, width - 1, kept.sum(dim=1) - 1)
""",
        also=(("    places = torch.arange(mask.shape[1], device=mask.device)\n", ""),),
        says="You take the last column where it is real, and else the number of tokens less one, which is "
        "right only without padding before or between them: look for the last real token itself.",
    ),
    Mistake(
        "padding-side-of-the-batch",
        find="""\
    last = (places * mask.bool()).argmax(dim=1)  # (batch,) the largest place that is kept
""",
        replace="""\
    kept, width = mask.long(), mask.shape[1]
    last = torch.full_like(kept[:, 0], width - 1) if bool(kept[:, -1].all()) else kept.sum(dim=1) - 1
""",
        also=(("    places = torch.arange(mask.shape[1], device=mask.device)\n", ""),),
        says="You decide once for the batch on which side its padding is. Rows differ: look for each one's "
        "last real token.",
    ),
    Mistake(
        "token-before-the-last",
        find="""\
    last = (places * mask.bool()).argmax(dim=1)  # (batch,) the largest place that is kept
""",
        replace="    last = (places * mask.bool()).amax(dim=1) - 1\n",
        says="You pick the token before the last real one.",
    ),
    Mistake(
        "center-of-the-chosen-only",
        find="(chosen + rejected).square().mean()",
        replace="chosen.square().mean()",
        says="You center the chosen rewards alone. It is the mean of (chosen + rejected)² that counts.",
    ),
    Mistake(
        "center-without-the-square",
        find="(chosen + rejected).square().mean()",
        replace="(chosen + rejected).abs().mean()",
        says="You take the mean of |chosen + rejected|. It is squared.",
    ),
    Mistake(
        "center-subtracted",
        find="loss = loss + center",
        replace="loss = loss - center",
        says="You subtract the centering term, which drives the rewards away from 0. It is added to the "
        "loss.",
    ),
    Mistake(
        "center-summed",
        find="(chosen + rejected).square().mean()",
        replace="(chosen + rejected).square().sum()",
        says="You sum the squares of chosen + rejected over the pairs. It is their mean.",
    ),
    Mistake(
        "margin-of-one-by-default",
        find="margin = 0.0 if margin is None else margin",
        replace="margin = 1.0 if margin is None else margin",
        says="Without a margin you take 1. None means 0.",
    ),
    Mistake(
        "one-margin-for-all-pairs",
        find="margin = 0.0 if margin is None else margin",
        replace="margin = 0.0 if margin is None else torch.as_tensor(margin).mean().item()",
        says="You take the mean of the margins for all pairs. Each pair has its own.",
    ),
    Mistake(
        "margin-outside-the-sigmoid",
        find="-F.logsigmoid(chosen - rejected - margin)",
        replace="(-F.logsigmoid(chosen - rejected) - margin)",
        says="You subtract the margin from the loss, where it has no gradient. It belongs inside: "
        "sigmoid(chosen - rejected - margin).",
    ),
    Mistake(
        "ties-half-right",
        find="(chosen > rejected).to(chosen.dtype).mean()",
        replace="((chosen - rejected).sign() / 2 + 0.5).mean()",
        says="You count a tie as half right. It is wrong.",
    ),
    Mistake(
        "accuracy-turned-round",
        find="(chosen > rejected).to(chosen.dtype).mean()",
        replace="(chosen < rejected).to(chosen.dtype).mean()",
        says="Your accuracy is the share of pairs with chosen < rejected. A pair is right where chosen is "
        "the larger.",
    ),
    Mistake(
        "results-exchanged",
        find="    return loss, accuracy\n",
        replace="    return accuracy, loss\n",
        says="You return (accuracy, loss). It is (loss, accuracy).",
    ),
    *differences_clamped(),
    *(each for bound in (10, 20, 30, 50, 80) for each in differences_clamped(bound)),
    Mistake(
        "pairs-on-the-default-device",
        find=", device=rewards.device)",
        replace=")",
        says="You make the indices of the pairs on the default device, wherever the rewards are: "
        "device=rewards.device.",
    ),
    Mistake(
        "ranked-by-the-rewards",
        find="""\
    better, worse = torch.triu_indices(rewards.shape[1], rewards.shape[1], offset=1, device=rewards.device)
""",
        replace="""\
    rewards = rewards.sort(dim=1, descending=True).values
    better, worse = torch.triu_indices(rewards.shape[1], rewards.shape[1], offset=1, device=rewards.device)
""",
        says="You sort the rewards before you compare them, so the order that was given is lost. The "
        "columns already stand from the best to the worst.",
    ),
    Mistake(
        "right-pairs-counted",
        find="(chosen > rejected).to(chosen.dtype).mean()",
        replace="(chosen > rejected).to(chosen.dtype).sum()",
        says="You give the number of pairs that are right. The accuracy is their share: divide by the "
        "number of pairs.",
    ),
    *(
        Mistake(
            id_,
            find="    last = (places * mask.bool()).argmax(dim=1)",
            replace=f"    from_end = mask.int().flip(1).argmax(dim=1)\n    last = {last}",
            also=also,
            says=f"You take {what}. Where the mask is searched from its end, for example, in how many places "
            "the last real token comes from there, its place is seq - 1 less that.",
        )
        for id_, last, also, what in (
            (
                "one-behind-the-last-token",
                "(mask.shape[1] - from_end).clamp(max=mask.shape[1] - 1)",
                (),
                "the value one place behind the last real token, or the row's last where there is none",
            ),
            (
                "one-behind-the-last-token-or-the-first",
                "-from_end % mask.shape[1]",
                (),
                "the value one place behind the last real token, and the row's first where there is none (-0 "
                "is 0, and no place from the end)",
            ),
            (
                "place-counted-from-the-end",
                "from_end",
                (),
                "the value at the place that the last real token has counted from the row's end",
            ),
            (
                "one-behind-the-last-token-fails",
                "mask.shape[1] - from_end",
                (),
                "the place behind the last real token, which does not exist where this is the row's last",
            ),
            (
                "one-behind-the-last-token-fails-by-index",
                "mask.shape[1] - from_end",
                (
                    (
                        "return values.gather(1, last.unsqueeze(1)).squeeze(1)",
                        "return values[torch.arange(len(values), device=values.device), last]",
                    ),
                ),
                "the place behind the last real token, which does not exist where this is the row's last",
            ),
        )
    ),
]
