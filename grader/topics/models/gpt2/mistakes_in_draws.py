"""Known wrong versions of `gpt2`: initial weights that are cut off, and a text of one token."""

from grader.kit import Mistake

NORMAL = "nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * num_layers) if adds else 0.02)"

MISTAKES = [
    *(
        Mistake(
            f"weights-cut-off-at-{many}-deviations",
            find=NORMAL,
            replace=f"""\
std = 0.02 / math.sqrt(2 * num_layers) if adds else 0.02
                nn.init.trunc_normal_(parameter, std=std, a=-{many} * std, b={many} * std)""",
            says=f"Your initial weights are cut off at {many} standard deviations (trunc_normal_), as those "
            "of other models are. GPT-2's are normal without a bound: now and then one lies further off.",
        )
        for many in (2, 3)
    ),
    Mistake(
        "weight-of-a-single-token-not-dropped",
        find="dropout_p = self.dropout.p if self.training else 0.0",
        replace="dropout_p = self.dropout.p if self.training and seq > 1 else 0.0",
        says="In a text of a single token you do not drop attention weights: it attends to itself alone, and "
        "you hand on its value, for example. Its weight of 1 is dropped in training as others are.",
    ),
]
