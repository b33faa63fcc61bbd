"""Known wrong versions of `lstm`: a state of zeros that is left out, and one that is written to."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"{name}-of-zeros-without-gradients",
            find=find,
            replace=replace,
            says=f"Where the {what} is all zeros you leave out what it is multiplied with. The values are "
            "the same, but not the gradients: the derivative of a product by a factor that is 0 is the other "
            "factor. Zeros are numbers like others.",
        )
        for name, what, find, replace in (
            (
                "hidden",
                "hidden state",
                "hidden @ self.weight_hh.T",
                "(hidden @ self.weight_hh.T if hidden.any() else 0)",
            ),
            (
                "cell",
                "cell",
                "torch.sigmoid(forget_gate) * cell +",
                "(torch.sigmoid(forget_gate) * cell if cell.any() else 0) +",
            ),
        )
    ),
    Mistake(
        "given-cell-overwritten-by-the-sequence",
        find="        outputs = []",
        replace="""\
        if state is not None and not torch.is_grad_enabled():
            given = state[1].clone()
            state[1].add_(1)
            state = state[0], given
        outputs = []""",
        says="Your LSTM writes into the cell that it is given (c.mul_(…) in a loop without gradients, say: "
        "the first c is the caller's), so whoever called goes on with other numbers than they had. Make a "
        "new tensor in the first step.",
    ),
    Mistake(
        "start-state-of-the-sequence-on-the-default-device",
        find="        outputs = []",
        replace="""\
        if state is None:
            zeros = torch.zeros(len(x), self.cell.hidden_size, dtype=x.dtype)
            state = zeros, zeros
        outputs = []""",
        says="LSTM makes its state of zeros on the default device, which may be another one than that of x. "
        "Make it with x.new_zeros, or device=x.device, or leave it to the cell.",
    ),
]
