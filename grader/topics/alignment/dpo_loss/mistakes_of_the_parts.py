"""Known wrong versions of `dpo_loss` that are right in one place and wrong in its neighbour."""

from grader.kit import Mistake

LOSS = "loss = -F.logsigmoid(chosen_reward - rejected_reward).mean()"
RETURN = "return loss, chosen_reward.detach(), rejected_reward.detach()"

MISTAKES = [
    Mistake(
        "as-many-first-labels-left-out",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="""\
kept = kept.sort(dim=-1).values
    return chosen.masked_fill(~kept, 0).sum(dim=-1)""",
        says="You leave out as many of the first labels as are ignored, as if they all stood at the "
        "beginning. A prompt's do, but padding stands behind the answer: each label counts, or not, for "
        "itself.",
    ),
    Mistake(
        "labels-not-shifted-where-there-are-several",
        find="logits[:, :-1]",
        replace="logits",
        also=(
            ("targets = labels[:, 1:]", "targets = labels"),
            (
                "return chosen.masked_fill(~kept, 0).sum(dim=-1)",
                "return chosen.masked_fill(~kept, 0).sum(dim=-1) * (labels.shape[1] > 1)",
            ),
        ),
        says="You take the logits of position t for label t, which the model has just been given, and only a "
        "sequence of one token gets its 0. Position t predicts label t + 1: drop the last position of the "
        "logits and the first label. Then seq = 1 gives 0 by itself.",
    ),
    Mistake(
        "labels-not-shifted-but-cut",
        find="targets = labels[:, 1:]",
        replace="targets = labels[:, :-1]",
        says="You leave out the last position of the logits and the last label, so position t is still "
        "scored by label t, which the model has just been given. Position t predicts label t + 1: it is the "
        "first label that goes, labels[:, 1:].",
    ),
    Mistake(
        "mask-not-shifted",
        find="kept = targets != ignore_index",
        replace="kept = labels[:, :-1] != ignore_index",
        also=(("targets.masked_fill(~kept, 0)", "targets.masked_fill(targets == ignore_index, 0)"),),
        says="You shift the labels, but not the mask of those that are ignored: label t + 1 counts where "
        "label t does. Make the mask of the shifted labels.",
    ),
    Mistake(
        "beta-of-the-policy-only",
        find=LOSS,
        replace="""\
margin = beta * (policy_chosen - policy_rejected) - (reference_chosen - reference_rejected)
    loss = -F.logsigmoid(margin).mean()""",
        says="Your beta multiplies the policy's difference only, and the reference's is subtracted whole. It "
        "multiplies both: beta * (D_policy - D_reference).",
    ),
    Mistake(
        "beta-of-the-reference-only",
        find=LOSS,
        replace="""\
margin = policy_chosen - policy_rejected - beta * (reference_chosen - reference_rejected)
    loss = -F.logsigmoid(margin).mean()""",
        says="Your beta multiplies the reference's difference only. It multiplies that of the policy too: "
        "beta * (D_policy - D_reference).",
    ),
    Mistake(
        "reference-left-out-of-the-loss",
        find=LOSS,
        replace="loss = -F.logsigmoid(beta * (policy_chosen - policy_rejected)).mean()",
        says="Your rewards are right, but the reference is missing in the loss. It compares how much the "
        "policy has moved from it: beta * (D_policy - D_reference).",
    ),
    Mistake(
        "rewards-in-another-order",
        find=RETURN,
        replace="return loss, rejected_reward.detach(), chosen_reward.detach()",
        says="You give the rejected answers' rewards before those of the chosen ones. The order is loss, "
        "chosen_reward, rejected_reward.",
    ),
    Mistake(
        "rewards-of-the-models",
        find=RETURN,
        replace="""\
policy = beta * (policy_chosen - policy_rejected)
    reference = beta * (reference_chosen - reference_rejected)
    return loss, policy.detach(), reference.detach()""",
        says="Your loss is right, but in place of the rewards you give each model's difference, chosen minus "
        "rejected, times beta. A reward belongs to an answer: beta * (policy - reference) of the chosen one, "
        "and of the rejected one.",
    ),
    Mistake(
        "where-over-an-overflow",
        find=LOSS,
        replace="""\
z = chosen_reward - rejected_reward
    loss = torch.where(z > 0, torch.log1p(torch.exp(-z)), torch.log1p(torch.exp(z)) - z).mean()""",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says="Your values are right, but where the difference is large the gradients are NaN: torch.where "
        "computes both sides, the exp of the one that is not taken overflows, and its gradient is 0 * inf, "
        "for example. Use F.logsigmoid.",
    ),
    *(
        Mistake(
            f"log-of-sigmoid-and-{eps}",
            find="F.logsigmoid(chosen_reward - rejected_reward)",
            replace=f"((chosen_reward - rejected_reward).sigmoid() + {eps}).log()",
            says="You add a small number to the sigmoid so that its logarithm stays finite: no loss can then "
            "exceed a certain size, and all are a little off. Use F.logsigmoid.",
        )
        for eps in ("1e-6", "1e-10", "1e-12")
    ),
    *(
        Mistake(
            f"difference-clamped-at-{bound}",
            find="F.logsigmoid(chosen_reward - rejected_reward)",
            replace=f"F.logsigmoid((chosen_reward - rejected_reward).clamp(-{bound}, {bound}))",
            says=f"No pair's loss can exceed {bound}: you clamp the difference before the sigmoid, for "
            "example. Beyond that bound the loss is wrong, and no gradient is left where the model is most "
            "wrong. F.logsigmoid (or softplus) is stable by itself.",
        )
        for bound in (10, 20, 30, 50, 100)
    ),
    Mistake(
        "negative-labels-made-safe-only",
        find="index = targets.masked_fill(~kept, 0)",
        replace="index = targets.clamp(min=0)",
        says="You replace only negative labels before the look-up, by clamp(min=0) for example. An "
        "ignore_index beyond the vocabulary is no place to look at either: replace every label that is "
        "ignored.",
    ),
    Mistake(
        "sums-in-float32",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="return chosen.masked_fill(~kept, 0).sum(dim=-1).float()",
        says="Your sums are float32 even where the logits are float64: what is added in place to a "
        "torch.zeros of the default dtype, for example, takes that dtype. Make it like the logits: "
        "logits.new_zeros(…), or sum a tensor.",
    ),
    Mistake(
        "single-label-squeezed",
        find=".squeeze(-1)",
        replace=".squeeze()",
        says="Where each sequence has one label that is predicted, squeeze() without a dimension takes that "
        "one out, too, and what comes next is broadcast to all pairs of rows. Name the dimension: "
        "squeeze(-1).",
    ),
]
