"""Known wrong versions of `adamw` that count the steps wrong."""

from grader.kit import Mistake

COUNT = '            state["step"] += 1\n'
UPDATE = "param.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))"
BETAS = "        beta1, beta2 = self.betas\n"
ONE_COUNT = (
    ("self.states: list[dict]", "self.steps = 0\n        self.states: list[dict]"),
    ('(1 - beta1 ** state["step"])', "(1 - beta1**self.steps)"),
    ('(1 - beta2 ** state["step"])', "(1 - beta2**self.steps)"),
)
"""The count stands on the optimizer."""

MISTAKES = [
    Mistake(
        "steps-counted-from-zero",
        find=COUNT,
        replace="",
        also=((UPDATE, f'{UPDATE}\n            state["step"] += 1'),),
        says="In the first step your t is 0, so that you divide by 1 - beta**0 = 0. Count before you "
        "correct: in the first step t is 1.",
    ),
    *(
        Mistake(
            f"one-count-for-all{id}",
            find=COUNT,
            replace="",
            also=(*ONE_COUNT, (BETAS, f"{BETAS}        self.steps += {counted}\n")),
            says="You count the steps once for all parameters, so the count goes on for one that has been "
            "skipped for lack of a gradient, whose averages have not. Keep a count for each parameter.",
        )
        for id, counted in (
            ("", "1"),
            ("-while-any-has-a-gradient", "any(param.grad is not None for param in self.params)"),
        )
    ),
    Mistake(
        "count-goes-on-with-each-parameter",
        find=COUNT,
        replace="            self.steps += 1\n",
        also=ONE_COUNT,
        says="You raise one count inside the loop over the parameters, so it goes on with each of them: the "
        "second parameter's first step is taken for its second. Keep a count for each parameter.",
    ),
    Mistake(
        "count-goes-on-without-a-gradient",
        find="            if param.grad is None:\n                continue\n",
        replace="""\
            if param.grad is None:
                if state:
                    state["step"] += 1
                continue
""",
        says="A parameter's count begins with its first gradient, but then goes on in steps without one, "
        "too. Where there is no gradient nothing goes on: neither its averages nor its count.",
    ),
]
