"""Known wrong versions of `lstm` that lose dimensions of size 1, or turn a gate round."""

from grader.kit import Mistake

_RETURN = "        return torch.stack(outputs, dim=1), (hidden, cell)"
_FORGET = "torch.sigmoid(forget_gate) * cell"
_INPUT = "torch.sigmoid(input_gate)"
_CELL = f"        cell = {_FORGET} + {_INPUT} * torch.tanh(candidate)"

MISTAKES = [
    *(
        Mistake(
            f"output-squeezed{ending}",
            find=_RETURN,
            replace=f"        return torch.stack(outputs, dim=1).squeeze({dim}), (hidden, cell)",
            says=f"{lost} in your output: squeeze({dim}) takes {it} out, for example. It is (batch, seq, "
            "hidden) whatever the sizes: a batch of one, a single step and a single feature are like any "
            "others.",
        )
        for ending, dim, lost, it in (
            ("", "", "All dimensions of size 1 are missing", "them"),
            ("-along-the-batch", "0", "A batch of one is missing", "it"),
            ("-along-the-text", "1", "A single step is missing", "it"),
            ("-along-the-features", "-1", "A single feature is missing", "it"),
        )
    ),
    *(
        Mistake(
            f"last-state-squeezed{ending}",
            find=_RETURN,
            replace="        return torch.stack(outputs, dim=1), "
            f"(hidden.squeeze({dim}), cell.squeeze({dim}))",
            says=f"{lost} in the last state: squeeze({dim}) takes {it} out, for example. It is (batch, "
            "hidden) whatever the sizes.",
        )
        for ending, dim, lost, it in (
            ("", "", "All dimensions of size 1 are missing", "them"),
            ("-along-the-batch", "0", "A batch of one is missing", "it"),
        )
    ),
    Mistake(
        "forget-gate-turned-round",
        find=_FORGET,
        replace="(1 - torch.sigmoid(forget_gate)) * cell",
        says="You keep 1 - sigmoid(forget) of the old cell, as if the gate said how much is forgotten. In "
        "spite of its name it says how much is kept: sigmoid(forget) * cell.",
    ),
    Mistake(
        "input-gate-turned-round",
        find=_INPUT,
        replace="(1 - torch.sigmoid(input_gate))",
        says="You write 1 - sigmoid(input) of the candidate. The gate says how much is written: "
        "sigmoid(input) * tanh(candidate).",
    ),
    Mistake(
        "forget-gate-writes",
        find=_CELL,
        replace=_CELL.replace(_FORGET, "(1 - torch.sigmoid(forget_gate)) * cell").replace(
            _INPUT, "torch.sigmoid(forget_gate)"
        ),
        says="Your forget gate says how much is written, and 1 minus it how much is kept, as the update gate "
        "of some GRUs does. An LSTM has two gates: sigmoid(forget) of the cell is kept, and sigmoid(input) "
        "of the candidate written.",
    ),
    Mistake(
        "output-gate-turned-round",
        find="torch.sigmoid(output_gate)",
        replace="(1 - torch.sigmoid(output_gate))",
        says="You show 1 - sigmoid(output) of the cell. The gate says how much is shown: sigmoid(output) * "
        "tanh(cell).",
    ),
]
