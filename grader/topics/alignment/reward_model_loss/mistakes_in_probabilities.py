"""Known wrong versions of `reward_model_loss` that keep probabilities away from 0 and 1."""

from grader.kit import Mistake

LOSS = "loss = -F.logsigmoid(chosen - rejected - margin).mean()"
RANKED = "return -F.logsigmoid(rewards[:, better] - rewards[:, worse]).mean()"

MISTAKES = [
    *(
        Mistake(
            f"probabilities-clipped-at-{bound}",
            find=LOSS,
            replace="loss = -torch.sigmoid(chosen - rejected - margin)"
            f".clamp({bound}, 1 - {bound}).log().mean()",
            also=(
                (
                    RANKED,
                    "return -torch.sigmoid(rewards[:, better] - rewards[:, worse])"
                    f".clamp({bound}, 1 - {bound}).log().mean()",
                ),
            ),
            says=f"You clip the probabilities to {bound} and 1 - {bound} before the logarithm. Where a "
            "pair is judged wrong by far, the loss stops growing there, and has no gradient. "
            "F.logsigmoid is right for any difference, and needs no clip.",
        )
        for bound in ("1e-12", "1e-10", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3")
    ),
]
