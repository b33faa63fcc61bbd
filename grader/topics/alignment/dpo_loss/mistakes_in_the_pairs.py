"""Known wrong versions of `dpo_loss`: answers judged one by one, and labels and tensors of others."""

from grader.kit import Mistake

LOSS = "loss = -F.logsigmoid(chosen_reward - rejected_reward).mean()"

MISTAKES = [
    Mistake(
        "first-label-scored-at-the-end",
        find="logits[:, :-1]",
        replace="logits",
        also=(("targets = labels[:, 1:]", "targets = labels.roll(-1, dims=1)"),),
        says="You also score the first label, by the logits of the last position: for example, you shift "
        "the labels with roll, which brings the first one to the end. It is predicted by nothing and adds "
        "nothing: leave out the last position of the logits and the first label.",
    ),
    Mistake(
        "labels-of-the-first-sequence-kept",
        find="kept = targets != ignore_index",
        replace="kept = (targets[:1] != ignore_index).expand_as(targets)",
        also=(("targets.masked_fill(~kept, 0)", "targets.clamp(0, logits.shape[-1] - 1)"),),
        says="Which labels count you read from the first sequence, and leave out the same places in all. "
        "Prompts and answers differ in length: each sequence has its own ignored labels.",
    ),
    *(
        Mistake(
            f"each-answer-by-itself{ending}",
            find=LOSS,
            replace=f"loss = -(F.logsigmoid(chosen_reward) + F.logsigmoid(-rejected_reward)).mean(){half}",
            says="You judge each answer by itself: the chosen one by the sigmoid of its reward, the rejected "
            f"one by that of minus its own, and {what} the two losses. A pair has a single loss, that of the "
            "difference: -log sigmoid(chosen_reward - rejected_reward).",
        )
        for ending, half, what in (("", "", "add"), ("-averaged", " / 2", "average"))
    ),
    Mistake(
        "rewards-made-in-place",
        find="return loss, chosen_reward.detach(), rejected_reward.detach()",
        replace="""\
chosen_reward = policy_chosen.detach().sub_(reference_chosen.detach()).mul_(beta)
    rejected_reward = policy_rejected.detach().sub_(reference_rejected.detach()).mul_(beta)
    return loss, chosen_reward, rejected_reward""",
        says="You overwrite policy_chosen and policy_rejected: for example, you make the rewards in place "
        "(sub_, mul_ or -=) from what detach() gives. detach makes no copy: it gives the same memory without "
        "the graph. Make new tensors.",
    ),
    *(
        Mistake(
            f"gradient-{gradient}-at-zero",
            find=LOSS,
            replace=f"""\
margin = chosen_reward - rejected_reward
    loss = ({largest} + (-margin.abs()).exp().log1p()).mean()""",
            says="Your loss is right, but not its gradient where policy and reference are the same, as they "
            f"are when a training begins: by the logarithm's argument it is {gradient} there, and should be "
            "-1/2. You split at 0 (by relu, clamp or abs, for example), where neither part has the gradient "
            "of the whole. Take F.logsigmoid or F.softplus.",
        )
        for gradient, largest in (("0", "F.relu(-margin)"), ("-1", "(-margin).clamp(min=0)"))
    ),
    Mistake(
        "labels-of-a-single-sequence-overwritten",
        find="    index = targets.masked_fill(~kept, 0)  # ignore_index is no place to look at\n",
        replace="""\
    index = targets.contiguous()
    index[~kept] = 0
""",
        says="You overwrite the ignored labels of your caller where there is a single sequence. contiguous() "
        "and reshape are no copies of what is contiguous already, as labels[:, 1:] of one row is. Use "
        "masked_fill or torch.where, or clone() first.",
    ),
    Mistake(
        "squared-distance-of-ipo",
        find=LOSS,
        replace="loss = ((chosen_reward - rejected_reward) / beta - 1 / (2 * beta)).square().mean()",
        says="Your loss is that of IPO, (D_policy - D_reference - 1 / (2 * beta)) ** 2. That of DPO is minus "
        "the logarithm of a sigmoid: -log sigmoid(beta * (D_policy - D_reference)).",
    ),
    *(
        Mistake(
            f"log-of-softmax-clamped-at-{eps}",
            find="logits[:, :-1].log_softmax(dim=-1)",
            replace=f"logits[:, :-1].softmax(dim=-1).clamp(min={eps}).log()",
            says="You keep the logarithm of the softmax finite, by clamping the probability or by adding a "
            "small number to it. No label can then cost more than a certain size, and where the model is "
            "most wrong there is hardly a gradient. Use log_softmax.",
        )
        for eps in ("1e-6", "1e-8", "1e-9", "1e-10", "1e-12")
    ),
    Mistake(
        "gradient-of-the-sum",
        find=LOSS,
        replace="""\
losses = -F.logsigmoid(chosen_reward - rejected_reward)
    loss = losses.sum() + (losses.mean() - losses.sum()).detach()""",
        says="Your loss is right, but its gradient is that of the sum over the pairs: a backward written by "
        "hand that forgets the division, for example. Each pair's gradient is divided by their number.",
    ),
    *(
        Mistake(
            f"{name.replace('_', '-')}-without-beta",
            find="return loss, chosen_reward.detach(), rejected_reward.detach()",
            replace=f"return loss, {chosen}.detach(), {rejected}.detach()",
            says=f"Your {name} lacks beta. Both rewards are beta * (policy - reference).",
        )
        for name, chosen, rejected in (
            ("chosen_reward", "(chosen_reward / beta)", "rejected_reward"),
            ("rejected_reward", "chosen_reward", "(rejected_reward / beta)"),
        )
    ),
]
