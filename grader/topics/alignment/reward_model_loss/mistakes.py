"""Known wrong versions of `reward_model_loss`."""

from grader.kit import Mistake

LAST = "last = (places * mask.bool()).argmax(dim=1)"
PICKED = "return values.gather(1, last.unsqueeze(1)).squeeze(1)"
LOSS = "loss = -F.logsigmoid(chosen - rejected - margin).mean()"
CENTER = "loss = loss + center * (chosen + rejected).square().mean()"
RIGHT = "accuracy = (chosen > rejected).to(chosen.dtype).mean()"

MISTAKES = [
    Mistake(
        "zero-taken-for-padding",
        find=LAST,
        replace="last = mask.shape[1] - 1 - (values * mask.bool() != 0).int().flip(1).argmax(dim=1)",
        says="You look for the last value that is not 0, so a reward of exactly 0 is taken for padding. Ask "
        "the mask alone which tokens are real.",
    ),
    Mistake(
        "number-of-tokens-less-one",
        find=LAST,
        replace="last = mask.bool().sum(dim=1) - 1",
        says="You look at mask.sum() - 1: that is the last token only where all padding is on the right. "
        "Left or between, it points to another token. Take the largest place that is kept.",
    ),
    Mistake(
        "last-column",
        find=PICKED,
        replace="return values[:, -1]",
        says="You take the last column: where the padding is on the right, that is a pad's reward.",
    ),
    Mistake(
        "first-padding-less-one",
        find=LAST,
        replace="last = ((~mask.bool()).int().argmax(dim=1) - 1) % mask.shape[1]",
        says="You take the place before the first padding. With padding in between, or on both sides, that "
        "is not the last token (on the left alone it is right only because -1 is the last place).",
    ),
    Mistake(
        "first-token",
        find=LAST,
        replace="last = mask.int().argmax(dim=1)",
        says="You take the first real token: argmax gives the first of equal values. It has seen nothing of "
        "the answer; the last one has.",
    ),
    Mistake(
        "mean-over-tokens",
        find=PICKED,
        replace="kept = mask.to(values.dtype)\n    return (values * kept).sum(dim=1) / kept.sum(dim=1)",
        says="You average over the tokens. The reward is the value at the last real one.",
    ),
    Mistake(
        "sum-over-tokens",
        find=PICKED,
        replace="return (values * mask.to(values.dtype)).sum(dim=1)",
        says="You add up the values of all tokens. The reward is the value at the last real one.",
    ),
    Mistake(
        "largest-value",
        find=PICKED,
        replace="return values.masked_fill(~mask.bool(), -torch.inf).amax(dim=1)",
        says="You take the largest value. The reward is the value at the last real token.",
    ),
    Mistake(
        "gradient-of-the-values-cut",
        find=PICKED,
        replace="return values.detach().gather(1, last.unsqueeze(1)).squeeze(1)",
        says="No gradient reaches the values. Only the choice of the place has none.",
    ),
    Mistake(
        "places-on-the-default-device",
        find="torch.arange(mask.shape[1], device=mask.device)",
        replace="torch.arange(mask.shape[1])",
        says="You count the places on the default device. Make them on the mask's.",
    ),
    Mistake(
        "log-of-sigmoid",
        find="-F.logsigmoid(chosen - rejected - margin).mean()",
        replace="-torch.sigmoid(chosen - rejected - margin).log().mean()",
        says="Where a difference is large and negative your loss is inf, or its gradient NaN: the sigmoid "
        "is 0 there, and its log -inf, for example (or an exp overflows). F.logsigmoid is right everywhere.",
    ),
    Mistake(
        "log-of-sigmoid-and-a-little",
        find="-F.logsigmoid(chosen - rejected - margin).mean()",
        replace="-(torch.sigmoid(chosen - rejected - margin) + 1e-8).log().mean()",
        says="You add a little to the sigmoid before the log: the loss stops growing there and teaches "
        "nothing where a pair is most wrong. F.logsigmoid is right everywhere.",
    ),
    Mistake(
        "margin-as-a-truth",
        find="margin = 0.0 if margin is None else margin",
        replace="margin = margin or 0.0",
        says="You ask whether the margin is true, which a tensor of several numbers does not answer. Ask "
        "whether it is None.",
    ),
    Mistake(
        "margin-added",
        find="F.logsigmoid(chosen - rejected - margin)",
        replace="F.logsigmoid(chosen - rejected + margin)",
        says="You add the margin. It is taken off: the chosen answer has to lead by more than that.",
    ),
    Mistake(
        "margin-ignored",
        find="F.logsigmoid(chosen - rejected - margin)",
        replace="F.logsigmoid(chosen - rejected)",
        says="You never use the margin. The loss is -log sigmoid(chosen - rejected - margin).",
    ),
    Mistake(
        "hinge",
        find=LOSS,
        replace="loss = (margin - (chosen - rejected)).clamp(min=0).mean()",
        says="You take a hinge: max(0, margin - difference). Bradley-Terry is -log sigmoid(chosen - "
        "rejected - margin).",
    ),
    Mistake(
        "hinge-at-one",
        find=LOSS,
        replace="loss = (1 - (chosen - rejected - margin)).clamp(min=0).mean()",
        says="You take a hinge: max(0, 1 - difference). Bradley-Terry is -log sigmoid of the difference.",
    ),
    Mistake(
        "wrong-way-round",
        find="F.logsigmoid(chosen - rejected - margin)",
        replace="F.logsigmoid(rejected - chosen - margin)",
        says="You have rejected - chosen in the sigmoid: that teaches to prefer the worse answer.",
    ),
    Mistake(
        "argument-turned",
        find=LOSS,
        replace="loss = -F.logsigmoid(-(chosen - rejected - margin)).mean()",
        says="Your loss is -log sigmoid(-(chosen - rejected - margin)), which falls as the rejected answers "
        "gain on the chosen ones. It is -log sigmoid(x), which is softplus(-x), of "
        "chosen - rejected - margin.",
    ),
    Mistake(
        "sign-forgotten",
        find=LOSS,
        replace="loss = F.logsigmoid(chosen - rejected - margin).mean()",
        says="You give the log-likelihood. The loss is minus that.",
    ),
    Mistake(
        "sum-over-pairs",
        find=LOSS,
        replace="loss = -F.logsigmoid(chosen - rejected - margin).sum()",
        says="You add up the pairs' losses. It is their mean.",
    ),
    Mistake(
        "no-log",
        find=LOSS,
        replace="loss = -torch.sigmoid(chosen - rejected - margin).mean()",
        says="You leave out the log: the loss is -log sigmoid(…), the negative log-likelihood.",
    ),
    Mistake(
        "center-of-the-difference",
        find="(chosen + rejected).square()",
        replace="(chosen - rejected).square()",
        says="You square the difference, which pulls the rewards of a pair together. center acts on their "
        "sum.",
    ),
    Mistake(
        "center-ignored",
        find=CENTER,
        replace="loss = loss + 0.0",
        says="You never use center: center times the mean of (chosen + rejected)² is added.",
    ),
    Mistake(
        "center-of-each",
        find="(chosen + rejected).square().mean()",
        replace="(chosen.square() + rejected.square()).mean()",
        says="You square chosen and rejected one by one, which pulls both to 0. Only their sum is squared: "
        "(chosen + rejected)².",
    ),
    Mistake(
        "center-of-all-rewards",
        find="(chosen + rejected).square().mean()",
        replace="torch.cat([chosen, rejected]).square().mean()",
        says="You take the mean of the squares of all rewards, chosen and rejected, which pulls each of them "
        "to 0. Only the sum of a pair is squared: (chosen + rejected)², and the mean is over the pairs.",
    ),
    Mistake(
        "center-of-the-average",
        find="(chosen + rejected).square()",
        replace="((chosen + rejected) / 2).square()",
        says="You square the average of chosen and rejected, a quarter of what is asked: it is their sum.",
    ),
    Mistake(
        "center-of-the-mean",
        find="(chosen + rejected).square().mean()",
        replace="(chosen + rejected).mean().square()",
        says="You square the mean over the pairs. It is the mean of the squares.",
    ),
    Mistake(
        "ties-count",
        find="(chosen > rejected)",
        replace="(chosen >= rejected)",
        says="You count ties as right. A model that gives every answer the same reward knows nothing.",
    ),
    Mistake(
        "accuracy-with-the-margin",
        find="(chosen > rejected)",
        replace="(chosen - rejected - margin > 0)",
        says="You take the margin off in the accuracy, too. It counts chosen > rejected.",
    ),
    Mistake(
        "accuracy-in-float32",
        find=RIGHT,
        replace="accuracy = (chosen > rejected).float().mean()",
        says="Your accuracy is float32 whatever the rewards are. It has their dtype.",
    ),
    Mistake(
        "accuracy-as-a-number",
        find=RIGHT,
        replace="accuracy = (chosen > rejected).to(chosen.dtype).mean().item()",
        says="Your accuracy is a Python float. It is a 0-dimensional tensor.",
    ),
    Mistake(
        "values-written-to",
        find="    places = torch.arange",
        replace="    values.masked_fill_(~mask.bool(), 0)\n    places = torch.arange",
        says="last_token_rewards writes into the caller's values (and a leaf that requires a gradient "
        "raises). Make a new tensor: masked_fill, for example, without the underscore.",
    ),
    Mistake(
        "center-by-default",
        find="center: float = 0.0",
        replace="center: float = 0.01",
        says="Your default center is 0.01, so that the rewards are pulled to 0 without being asked. It is 0.",
    ),
]
