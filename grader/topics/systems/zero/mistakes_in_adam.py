"""Known wrong versions of `zero` in Adam's denominator."""

from grader.kit import Mistake

DENOMINATOR = "(exp_avg_sq.sqrt() + self.eps)"

MISTAKES = [
    Mistake(
        "eps-divided-by-the-correction",
        find=DENOMINATOR,
        replace="(exp_avg_sq.sqrt() + self.eps / (1 - beta2**self.steps) ** 0.5)",
        says="You add eps to the root of the second moment before its bias is corrected, so the correction "
        "divides eps as well. Correct first: (exp_avg_sq / (1 - beta2**steps)).sqrt() + eps.",
    ),
    Mistake(
        "eps-left-out",
        find=DENOMINATOR,
        replace="exp_avg_sq.sqrt()",
        says="You leave out eps: where all gradients of a parameter were 0 you divide 0 by 0. Add it to the "
        "root.",
    ),
    Mistake(
        "root-left-out",
        find=DENOMINATOR,
        replace="(exp_avg_sq + self.eps)",
        says="You divide by the running average of the squares itself. Adam divides by its root.",
    ),
    Mistake(
        "eps-as-a-bound",
        find=DENOMINATOR,
        replace="exp_avg_sq.sqrt().clamp(min=self.eps)",
        says="You take eps for the least that the denominator may be. It is added to the root.",
    ),
    Mistake(
        "new-gradient-unweighted",
        find="+ (1 - beta1) * gradient\n",
        replace="+ gradient\n",
        says="Your average of the gradients is a sum: the new gradient counts whole. It counts 1 - beta1.",
    ),
    Mistake(
        "only-the-average-corrected",
        find=" / (1 - beta2**self.steps)",
        replace="",
        says="You correct the average of the gradients for its start at zero, and not that of their squares: "
        "the first steps are far too long. Divide it by 1 - beta2**steps.",
    ),
]
