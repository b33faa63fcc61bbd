"""Known wrong versions of `lstm` whose exponentials overflow, or that stop gradients in long sequences."""

from grader.kit import Mistake

CANDIDATE = "torch.tanh(candidate)"
HIDDEN = "        hidden = torch.sigmoid(output_gate) * torch.tanh(cell)"
CELL = "        cell = torch.sigmoid(forget_gate) * cell + torch.sigmoid(input_gate) * torch.tanh(candidate)"
STEP = "            hidden, cell = state = self.cell(step, state)"


def by_exponentials(tanh: str) -> dict[str, str]:
    """What stands in for tanh."""
    own = f"        own_tanh = lambda z: {tanh}  # noqa: E731\n"
    return {
        CELL: own + CELL.replace("torch.tanh", "own_tanh"),
        HIDDEN: HIDDEN.replace("torch.tanh", "own_tanh"),
    }


def overflowing(id_: str, edits: dict[str, str], says: str) -> Mistake:
    (first, *others) = edits.items()
    return Mistake(id_, find=first[0], replace=first[1], also=tuple(others), says=says)


MISTAKES = [
    overflowing(
        "tanh-as-written",
        by_exponentials("(z.exp() - (-z).exp()) / (z.exp() + (-z).exp())"),
        "Where a candidate or a cell is large (beyond 88 in float32) your tanh is inf / inf = NaN: its "
        "exponentials overflow. torch.tanh is allowed, and right everywhere.",
    ),
    overflowing(
        "tanh-with-exp-of-minus",
        by_exponentials("(1 - (-2 * z).exp()) / (1 + (-2 * z).exp())"),
        "Where a candidate or a cell is far below 0 your tanh is NaN: exp(-2 z) overflows. torch.tanh is "
        "allowed, and right everywhere.",
    ),
    overflowing(
        "tanh-with-exp-of-plus",
        by_exponentials("((2 * z).exp() - 1) / ((2 * z).exp() + 1)"),
        "Where a candidate or a cell is large your tanh is inf / inf = NaN: exp(2 z) overflows. torch.tanh "
        "is allowed, and right everywhere.",
    ),
    overflowing(
        "sigmoid-as-written",
        {
            CELL: "        own_sigmoid = lambda z: 1 / (1 + (-z).exp())  # noqa: E731\n"
            + CELL.replace("torch.sigmoid", "own_sigmoid"),
            HIDDEN: HIDDEN.replace("torch.sigmoid", "own_sigmoid"),
        },
        "Where a gate is far below 0 your gradients are NaN: the sigmoid is 1 / (1 + exp(-x)), for example, "
        "whose exp overflows. Its value survives, 1 / inf = 0, but backward takes 0 times inf. torch.sigmoid "
        "is allowed, and right everywhere.",
    ),
    *(
        Mistake(
            f"detached-every-{steps}-steps",
            find="        outputs = []\n",
            replace="        outputs = []\n        # Truncated.\n",
            also=(
                (
                    STEP,
                    f"            if outputs and len(outputs) % {steps} == 0:\n"
                    f"                state = hidden.detach(), cell.detach()\n{STEP}",
                ),
            ),
            says=f"You cut the state off from the graph every {steps} steps. Gradients run through all "
            "steps: whoever wants them truncated gives the sequence in pieces, and detaches the state in "
            "between.",
        )
        for steps in (16, 20, 32, 35, 50, 64, 100, 128)
    ),
    *(
        overflowing(
            f"tanh-with-exp-of-plus-below{ending}",
            {
                line: text
                for line, text in by_exponentials("1 - 2 / ((2 * z).exp() + 1)").items()
                if line in lines
            },
            f"Where {what} large your gradients are NaN: a tanh of 1 - 2 / (exp(2 z) + 1), for example, has "
            "an exp that overflows. Its value survives, 2 / inf = 0, but backward takes 0 times inf. "
            "torch.tanh is allowed, and right everywhere.",
        )
        for ending, lines, what in (
            ("", (CELL, HIDDEN), "a candidate or a cell is"),
            ("-of-the-candidate", (CELL,), "a candidate is"),
        )
    ),
    Mistake(
        "tanh-with-exp-of-plus-below-of-the-cell",
        find=HIDDEN,
        replace=HIDDEN.replace("torch.tanh(cell)", "(1 - 2 / ((2 * cell).exp() + 1))"),
        says="Where a cell is large your gradients are NaN: its tanh is 1 - 2 / (exp(2 c) + 1), for example, "
        "whose exp overflows. Its value survives, 2 / inf = 0, but backward takes 0 times inf. torch.tanh is "
        "allowed, and right everywhere.",
    ),
]
