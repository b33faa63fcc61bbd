"""Known wrong versions of `dpo_loss`."""

from grader.kit import Mistake

CHOSEN = "chosen_reward = beta * (policy_chosen - reference_chosen)"
LOSS = "loss = -F.logsigmoid(chosen_reward - rejected_reward).mean()"
RETURN = "return loss, chosen_reward.detach(), rejected_reward.detach()"
LOG = "logits[:, :-1].log_softmax(dim=-1)"

MISTAKES = [
    Mistake(
        "labels-not-shifted",
        find="logits[:, :-1]",
        replace="logits",
        also=(("labels[:, 1:]", "labels"),),
        says="You take the logits of position t for label t, which the model has just been given. Position "
        "t predicts label t + 1: drop the last position of the logits and the first label.",
    ),
    Mistake(
        "shifted-the-wrong-way",
        find="logits[:, :-1]",
        replace="logits[:, 1:]",
        also=(("labels[:, 1:]", "labels[:, :-1]"),),
        says="You let position t + 1 predict label t, so that a token is predicted by what comes after it. "
        "Position t predicts label t + 1.",
    ),
    Mistake(
        "same-position-behind-the-first",
        find="logits[:, :-1]",
        replace="logits[:, 1:]",
        says="You leave out the first label, but take the logits of position t for label t, which the model "
        "has just been given. Position t predicts label t + 1: drop the last position of the logits.",
    ),
    Mistake(
        "mean-over-the-tokens",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="return chosen.masked_fill(~kept, 0).sum(dim=-1) / kept.sum(dim=-1).clamp(min=1)",
        says="You average over the tokens. The log-probability of a sequence is the sum over them. (The "
        "mean is what SimPO uses.)",
    ),
    Mistake(
        "mean-over-all-places",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="return chosen.masked_fill(~kept, 0).mean(dim=-1)",
        says="You average over all places, ignored ones too. The log-probability of a sequence is the sum "
        "over its labels.",
    ),
    Mistake(
        "sum-over-the-batch",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="return chosen.masked_fill(~kept, 0).sum()",
        says="You add up the whole batch. Each sequence has a sum of its own: over dim -1.",
    ),
    Mistake(
        "ignored-labels-counted",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="return chosen.sum(dim=-1)",
        says="Where a label is ignored you look up some token, and add its log-probability. Ignored labels "
        "(prompt, padding) add nothing: set them to 0 before the sum.",
    ),
    Mistake(
        "always-minus-100",
        find="targets != ignore_index",
        replace="targets != -100",
        says="You ignore the label -100, or all negative ones, whatever ignore_index is. It may be any "
        "integer: compare the labels with it.",
    ),
    Mistake(
        "negative-labels-ignored",
        find="targets != ignore_index",
        replace="targets >= 0",
        also=(("targets.masked_fill(~kept, 0)", "targets.clamp(min=0, max=logits.shape[-1] - 1)"),),
        says="You ignore negative labels. Ignored is what equals ignore_index, which may be a token, too.",
    ),
    Mistake(
        "index-of-the-ignored",
        find="index = targets.masked_fill(~kept, 0)",
        replace="index = targets",
        says="You look up ignore_index in the vocabulary, which has no such place. Put any token there "
        "first: what comes of it is set to 0 afterwards.",
    ),
    Mistake(
        "token-zero-ignored",
        find="kept = targets != ignore_index",
        replace="kept = (targets != ignore_index) & (targets != 0)",
        says="You ignore token 0: ignored labels become 0, and what is 0 is then left out. Token 0 is one "
        "like the others. Keep the mask of what was ignored.",
    ),
    Mistake(
        "labels-overwritten",
        find="targets.masked_fill(~kept, 0)",
        replace="targets.masked_fill_(~kept, 0)",
        says="You write into the caller's labels: labels[:, 1:] is a view of them. Take a copy first "
        "(clone), or masked_fill without the underscore.",
    ),
    Mistake(
        "sums-of-the-default-dtype",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="""\
result = torch.zeros(len(labels))
    for row, total in enumerate(chosen.masked_fill(~kept, 0).sum(dim=-1)):
        result[row] = total
    return result""",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says="You collect the sums in a torch.zeros of the default dtype and on the default device. Make it "
        "like the logits: logits.new_zeros(…), or torch.stack the sums.",
    ),
    Mistake(
        "sums-on-the-default-device",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="""\
total = torch.zeros(len(labels), dtype=logits.dtype)
    return total + chosen.masked_fill(~kept, 0).sum(dim=-1)""",
        also=(("import torch.nn.functional as F", "import torch\nimport torch.nn.functional as F"),),
        says="You add the log-probabilities to a torch.zeros that is made on the default device, while the "
        "logits may be on another one. Make it like them, logits.new_zeros(…), or sum without it.",
    ),
    Mistake(
        "logits-for-log-probabilities",
        find=LOG,
        replace="logits[:, :-1]",
        says="You add up logits. A log-probability needs the log-softmax over the vocabulary.",
    ),
    Mistake(
        "log-of-softmax",
        find=LOG,
        replace="logits[:, :-1].softmax(dim=-1).log()",
        says="You take the logarithm of a softmax: where a probability underflows that is -inf, and its "
        "gradient NaN. Use log_softmax.",
    ),
    Mistake(
        "probabilities-added",
        find=LOG,
        replace="logits[:, :-1].softmax(dim=-1)",
        says="You add up probabilities. The probability of a sequence is the product of its tokens', so "
        "their logarithms are added.",
    ),
    Mistake(
        "sign-of-the-log-probability",
        find="return chosen.masked_fill(~kept, 0).sum(dim=-1)",
        replace="return -chosen.masked_fill(~kept, 0).sum(dim=-1)",
        says="You give the negative log-probability, a loss. sequence_log_probs gives the log-probability "
        "itself, which is at most 0.",
    ),
    Mistake(
        "reference-left-out",
        find=CHOSEN,
        replace="chosen_reward = beta * (policy_chosen)",
        also=(("(policy_rejected - reference_rejected)", "(policy_rejected)"),),
        says="The reference model is missing. What counts is how much the policy has moved from it: policy "
        "- reference.",
    ),
    Mistake(
        "reference-added",
        find=LOSS,
        replace="""\
margin = policy_chosen - policy_rejected + reference_chosen - reference_rejected
    loss = -F.logsigmoid(beta * margin).mean()""",
        says="You add the reference's difference to that of the policy. Subtract it: D_policy - D_reference.",
    ),
    Mistake(
        "chosen-and-rejected-swapped",
        find="F.logsigmoid(chosen_reward - rejected_reward)",
        replace="F.logsigmoid(rejected_reward - chosen_reward)",
        says="Your loss wants the rejected answer to have the larger reward. The difference is chosen minus "
        "rejected.",
    ),
    Mistake(
        "policy-and-reference-swapped",
        find="beta * (policy_chosen - reference_chosen)",
        replace="beta * (reference_chosen - policy_chosen)",
        also=(("(policy_rejected - reference_rejected)", "(reference_rejected - policy_rejected)"),),
        says="You take reference minus policy. The reward is beta * (policy - reference).",
    ),
    Mistake(
        "beta-left-out-of-the-loss",
        find="F.logsigmoid(chosen_reward - rejected_reward)",
        replace="F.logsigmoid((chosen_reward - rejected_reward) / beta)",
        says="beta is missing in the loss. It multiplies the difference inside of the sigmoid.",
    ),
    Mistake(
        "beta-outside",
        find=LOSS,
        replace="loss = -beta * F.logsigmoid((chosen_reward - rejected_reward) / beta).mean()",
        says="You multiply the logarithm by beta. It stands inside of the sigmoid, where it says how soon a "
        "difference is enough.",
    ),
    Mistake(
        "beta-left-out-of-the-rewards",
        find=RETURN,
        replace="return loss, (chosen_reward / beta).detach(), (rejected_reward / beta).detach()",
        says="Your rewards lack beta: they are beta * (policy - reference).",
    ),
    Mistake(
        "beta-fixed",
        find=CHOSEN,
        replace="beta = 0.1\n    " + CHOSEN,
        says="Your beta is always 0.1, which is only its default.",
    ),
    Mistake(
        "log-of-sigmoid",
        find="F.logsigmoid(chosen_reward - rejected_reward)",
        replace="(chosen_reward - rejected_reward).sigmoid().log()",
        says="You take the logarithm of a sigmoid, which underflows to 0: the loss becomes inf. Use "
        "F.logsigmoid.",
    ),
    Mistake(
        "log-of-clamped-sigmoid",
        find="F.logsigmoid(chosen_reward - rejected_reward)",
        replace="(chosen_reward - rejected_reward).sigmoid().clamp(min=1e-8).log()",
        says="You keep the logarithm finite by a smallest sigmoid, so that no loss can exceed a certain "
        "size. Use F.logsigmoid.",
    ),
    Mistake(
        "no-log",
        find="F.logsigmoid(chosen_reward - rejected_reward)",
        replace="(chosen_reward - rejected_reward).sigmoid()",
        says="You take the sigmoid itself. The loss is minus its logarithm: a pair that is far off has to "
        "count more.",
    ),
    Mistake(
        "summed-over-the-pairs",
        find="F.logsigmoid(chosen_reward - rejected_reward).mean()",
        replace="F.logsigmoid(chosen_reward - rejected_reward).sum()",
        says="You add the losses of the pairs. The loss is their mean.",
    ),
    Mistake(
        "mean-inside",
        find="F.logsigmoid(chosen_reward - rejected_reward).mean()",
        replace="F.logsigmoid((chosen_reward - rejected_reward).mean())",
        says="You average the differences before the sigmoid, so that pairs that are far off cancel. "
        "Average the losses.",
    ),
    Mistake(
        "rewards-not-detached",
        find=RETURN,
        replace="return loss, chosen_reward, rejected_reward",
        says="Your rewards carry gradients. They are for the log: detached, the graph can be freed.",
    ),
    Mistake(
        "policy-detached",
        find="policy_rejected - reference_rejected",
        replace="policy_rejected.detach() - reference_rejected",
        says="No gradient reaches policy_rejected: the loss only pushes the chosen answer up. Both of the "
        "policy's log-probabilities are trained.",
    ),
]
