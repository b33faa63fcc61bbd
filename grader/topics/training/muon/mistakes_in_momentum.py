"""Known wrong versions of `muon`: what weighs how much in the buffer, and in Nesterov's update."""

from grader.kit import Mistake

SUM = "buffer.mul_(self.momentum).add_(param.grad)"
AVERAGE = "buffer.lerp_(param.grad, 1 - self.momentum)"
EXCHANGED = "buffer.lerp_(param.grad, self.momentum)"
ORTHOGONAL = "orthogonal = newton_schulz(param.grad, self.ns_steps)"
NESTEROV = "update = param.grad + self.momentum * buffer if"


def weighed(id_: str, *, buffer: str = SUM, update: str | None = None, says: str) -> Mistake:
    """With another line for the buffer, and another Nesterov update."""
    also = () if update is None else ((NESTEROV, f"update = {update} if"),)
    return Mistake(id_, find=SUM, replace=buffer, also=also, says=says)


MISTAKES = [
    weighed(
        "forms-mixed",
        buffer=AVERAGE,
        says="You mix two forms: B = momentum * B + (1 - momentum) * G, and then G + momentum * B, in "
        "which G counts too much. With the first the update is (1 - momentum) * G + momentum * B.",
    ),
    weighed(
        "forms-mixed-the-other-way",
        update="param.grad.lerp(buffer, self.momentum)",
        says="You mix two forms: B = momentum * B + G, and then (1 - momentum) * G + momentum * B, in which "
        "G counts too little. With the first the update is G + momentum * B.",
    ),
    weighed(
        "nesterov-exchanges-the-weights",
        update="buffer.lerp(param.grad, self.momentum)",
        says="Your Nesterov update is momentum * G + (1 - momentum) * B. It is B that momentum multiplies. "
        "With B = momentum * B + G, as yours is, the update is G + momentum * B.",
    ),
    weighed(
        "nesterov-exchanges-the-weights-of-an-average",
        buffer=AVERAGE,
        update="buffer.lerp(param.grad, self.momentum)",
        says="Your Nesterov update is momentum * G + (1 - momentum) * B. It is B that momentum multiplies: "
        "(1 - momentum) * G + momentum * B, where B is an average, as yours is.",
    ),
    weighed(
        "buffer-exchanges-the-weights",
        buffer=EXCHANGED,
        update="param.grad.lerp(buffer, self.momentum)",
        says="Your buffer becomes (1 - momentum) * B + momentum * G. Momentum is how much of the old B "
        "stays: momentum * B + (1 - momentum) * G. (The weight of lerp is that of its argument.)",
    ),
    weighed(
        "buffer-exchanges-the-weights-of-a-sum",
        buffer=EXCHANGED,
        says="Your buffer becomes (1 - momentum) * B + momentum * G. Momentum is how much of the old B "
        "stays: B = momentum * B + G, and then G + momentum * B with nesterov, as you have it.",
    ),
    weighed(
        "both-exchange-the-weights",
        buffer=EXCHANGED,
        update="buffer.lerp(param.grad, self.momentum)",
        says="Momentum multiplies G where it is to multiply B, in your buffer and in the Nesterov update. "
        "It is how much of B counts: momentum * B + (1 - momentum) * G, and (1 - momentum) * G + momentum * "
        "B. (The weight of lerp is that of its argument.)",
    ),
    *(
        Mistake(
            f"each-gradient-orthogonalized{ending}",
            find=SUM,
            replace=f"{ORTHOGONAL}\n                {buffer}",
            also=(
                (NESTEROV, f"update = {update} if"),
                ("direction = newton_schulz(update, self.ns_steps)", "direction = update"),
            ),
            says=f"You orthogonalize each gradient and take the momentum of that{words}. It is the other way "
            "round: the momentum first, so that noise averages out, then Newton-Schulz.",
        )
        for ending, buffer, update, words in (
            (
                "-and-averaged",
                "buffer.lerp_(orthogonal, 1 - self.momentum)",
                "orthogonal.lerp(buffer, self.momentum)",
                ", as an average",
            ),
            (
                "-and-averaged-in-the-buffer",
                "buffer.lerp_(orthogonal, 1 - self.momentum)",
                "orthogonal + self.momentum * buffer",
                ", as an average, to which Nesterov adds the whole of it once more",
            ),
        )
    ),
]
