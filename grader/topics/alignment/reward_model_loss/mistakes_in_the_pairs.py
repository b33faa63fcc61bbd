"""Known wrong versions of `reward_model_loss` that judge the answers of a pair one by one."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        f"each-answer-by-itself{ending}",
        find="-F.logsigmoid(chosen - rejected - margin).mean()",
        replace=f"-(F.logsigmoid(chosen - margin) + F.logsigmoid(-rejected)).mean(){half}",
        says="You judge each answer by itself: the chosen one by the sigmoid of its reward less the margin, "
        f"the rejected one by that of minus its own, and {what} the two losses. A pair has a single loss, "
        "that of the difference: -log sigmoid(chosen - rejected - margin).",
    )
    for ending, half, what in (("", "", "add"), ("-averaged", " / 2", "average"))
]
