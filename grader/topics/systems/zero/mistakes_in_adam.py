"""Known wrong versions of `zero` in Adam's two averages, and in its denominator."""

from grader.kit import Mistake

DENOMINATOR = "(exp_avg_sq.sqrt() + self.eps)"
AVERAGE = (
    'beta1 * held["exp_avg"] + (1 - beta1) * gradient\n',
    '(1 - beta1) * held["exp_avg"] + beta1 * gradient\n',
)
SQUARES = (
    'beta2 * held["exp_avg_sq"] + (1 - beta2) * gradient.square()\n',
    '(1 - beta2) * held["exp_avg_sq"] + beta2 * gradient.square()\n',
)
UPDATES = {"exp_avg": ("beta1", "gradient"), "exp_avg_sq": ("beta2", "gradient.square()")}


def in_the_default_dtype(id_: str, what: str, *names: str) -> Mistake:
    """These averages begin in float32, and stay so because they are updated in place."""
    pairs = []
    for name in names:
        beta, new = UPDATES[name]
        update = f'held["{name}"] = {beta} * held["{name}"] + (1 - {beta}) * {new}\n'
        pairs.append((update, f'held["{name}"].mul_({beta}).add_((1 - {beta}) * {new})\n'))
        pairs.append((f'"{name}": torch.zeros_like(moments)', f'"{name}": torch.zeros(len(moments))'))
    (find, replace), *also = pairs
    return Mistake(
        id_,
        find=find,
        replace=replace,
        also=tuple(also),
        says=f"You hold {what} in float32, though the parameters are float64 (torch.zeros(...) without a "
        "dtype makes that, for example), so half of the digits are lost in every step. They are in the dtype "
        "of the parameters: torch.zeros_like, or dtype=parameters.dtype.",
    )


MISTAKES = [
    *(
        Mistake(
            f"corrections-at-least-{least}",
            find="(1 - beta1**self.steps)",
            replace=f"max(1 - beta1**self.steps, {least})",
            also=(("(1 - beta2**self.steps)", f"max(1 - beta2**self.steps, {least})"),),
            says="You keep the corrections 1 - beta**steps away from 0, by a least value or something added, "
            "which is wrong where a beta is next to 1. They are never 0, since a beta is less than 1.",
        )
        for least in ("1e-2", "1e-3", "1e-4", "1e-5")
    ),
    *(
        Mistake(
            f"corrections-plus-{added}",
            find="(1 - beta1**self.steps)",
            replace=f"(1 - beta1**self.steps + {added})",
            also=(("(1 - beta2**self.steps)", f"(1 - beta2**self.steps + {added})"),),
            says="You keep the corrections 1 - beta**steps away from 0, by a least value or something added, "
            "which is wrong where a beta is next to 1. They are never 0, since a beta is less than 1.",
        )
        for added in ("1e-8", "1e-7", "1e-6")
    ),
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
    in_the_default_dtype("moments-in-the-default-dtype", "Adam's two averages", "exp_avg", "exp_avg_sq"),
    in_the_default_dtype(
        "average-in-the-default-dtype", "exp_avg, Adam's average of the gradient,", "exp_avg"
    ),
    in_the_default_dtype(
        "squared-average-in-the-default-dtype", "exp_avg_sq, Adam's average of the squares,", "exp_avg_sq"
    ),
    Mistake(
        "only-the-average-corrected",
        find=" / (1 - beta2**self.steps)",
        replace="",
        says="You correct the average of the gradients for its start at zero, and not that of their squares: "
        "the first steps are far too long. Divide it by 1 - beta2**steps.",
    ),
    *(
        Mistake(
            f"old-and-new-exchanged{ending}",
            find=find,
            replace=replace,
            also=tuple(also),
            says=f"In {what} old and new are exchanged: 1 - beta of the old value stays, and beta of the new "
            "one comes in. It is beta * old + (1 - beta) * new, so with lerp the weight, which is that of "
            "the new value, is 1 - beta.",
        )
        for ending, what, (find, replace), *also in (
            ("-in-both", "both of Adam's averages", AVERAGE, SQUARES),
            ("", "exp_avg, Adam's average of the gradient,", AVERAGE),
            ("-in-the-squares", "exp_avg_sq, Adam's average of the squares,", SQUARES),
        )
    ),
    Mistake(
        "shards-of-zero-gradients-skipped",
        find="        beta1, beta2 = self.betas\n",
        replace="        if not gradient.any():\n            return parameters\n"
        "        beta1, beta2 = self.betas\n",
        says="Where the averaged gradient of a rank is all zeros, you skip its update. It is a gradient like "
        "any other: the moments decay, and what earlier gradients left in them still moves the parameters.",
    ),
    *(
        Mistake(
            f"{what}-in-the-squares",
            find="(1 - beta2) * gradient.square()",
            replace=f"(1 - beta2) * {squares}",
            says=f"exp_avg_sq gets {which}, so the steps are too short. Divide the sum by world_size first "
            "and square then: it averages the square of the averaged gradient.",
        )
        for what, squares, which in (
            (
                "divided-once",
                "gradient.square() * self.world_size",
                "the square of the ranks' summed gradients, divided by world_size once",
            ),
            (
                "summed-gradients",
                "(gradient * self.world_size).square()",
                "the square of the ranks' summed gradients",
            ),
        )
    ),
    Mistake(
        "square-corrected-by-the-first-beta",
        find="(1 - beta2**self.steps)",
        replace="(1 - beta1**self.steps)",
        says="You correct the average of the squares by 1 - beta1**steps. It has its own beta: 1 - "
        "beta2**steps. As it is, the first steps are far too long.",
    ),
]
