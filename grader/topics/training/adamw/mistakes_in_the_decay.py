"""Known wrong versions of `adamw` that let the decay go through a part of what the gradient goes through."""

from grader.kit import Mistake

DECAY = "                param.mul_(1 - self.lr * self.weight_decay)\n"
AVERAGE = 'state["exp_avg"].mul_(beta1).add_(param.grad, alpha=1 - beta1)'
UPDATE = "param.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))"

MISTAKES = [
    Mistake(
        "decay-divided-like-the-gradient",
        find=DECAY,
        replace="",
        also=(
            (
                UPDATE,
                """\
exp_avg = exp_avg + self.weight_decay * param
                param.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))""",
            ),
        ),
        says="You keep the decay out of the averages, but divide it by sqrt(exp_avg_sq) + eps like the "
        "gradient: weights with large gradients are hardly decayed, and those with small ones far too much. "
        "It is no part of what is divided: p -= lr * weight_decay * p, beside the gradient's step.",
    ),
    Mistake(
        "decay-in-the-average",
        find=DECAY,
        replace="",
        also=(
            (
                AVERAGE,
                """\
with_decay = param.grad + self.weight_decay * param
                state["exp_avg"].mul_(beta1).add_(with_decay, alpha=1 - beta1)""",
            ),
        ),
        says="You keep the decay out of the average of the squares, but it goes into that of the gradient, "
        "and is divided by sqrt(exp_avg_sq) with it. It is a part of neither: p -= lr * weight_decay * p, "
        "beside the gradient's step.",
    ),
]
