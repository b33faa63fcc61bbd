"""Known wrong versions of `dpo_loss`: answers judged one by one, and labels that come round again."""

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
]
