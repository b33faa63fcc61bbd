"""Known wrong versions of `lstm` that squash otherwise than by tanh, as the paper of 1997 does."""

from grader.kit import Mistake

CANDIDATE = "torch.sigmoid(input_gate) * torch.tanh(candidate)"
HIDDEN = "torch.sigmoid(output_gate) * torch.tanh(cell)\n"
_HALF = "2 sigmoid(z) - 1 is tanh(z / 2)"

MISTAKES = [
    Mistake(
        "cell-squashed-by-half",
        find=HIDDEN,
        replace=HIDDEN.replace("torch.tanh(cell)", "torch.tanh(cell / 2)"),
        says="You squash the cell by tanh(c / 2): by 2 sigmoid(c) - 1, for example, as in the paper of "
        f"1997 ({_HALF}). Asked for is tanh(cell), which is 2 sigmoid(2 c) - 1.",
    ),
    Mistake(
        "candidate-squashed-by-half",
        find=CANDIDATE,
        replace=CANDIDATE.replace("torch.tanh(candidate)", "torch.tanh(candidate / 2)"),
        says=f"You squash the candidate by tanh(z / 2): by 2 sigmoid(z) - 1, for example ({_HALF}). "
        "Asked for is tanh(candidate), which is 2 sigmoid(2 z) - 1.",
    ),
    Mistake(
        "both-squashed-by-half",
        find=CANDIDATE,
        replace=CANDIDATE.replace("torch.tanh(candidate)", "torch.tanh(candidate / 2)"),
        also=((HIDDEN, HIDDEN.replace("torch.tanh(cell)", "torch.tanh(cell / 2)")),),
        says=f"You squash candidate and cell by tanh(z / 2): by 2 sigmoid(z) - 1, for example ({_HALF}). "
        "Asked for is tanh, which is 2 sigmoid(2 z) - 1.",
    ),
    Mistake(
        "squashed-as-in-1997",
        find=CANDIDATE,
        replace=CANDIDATE.replace("torch.tanh(candidate)", "2 * torch.tanh(candidate / 2)"),
        also=((HIDDEN, HIDDEN.replace("torch.tanh(cell)", "torch.tanh(cell / 2)")),),
        says="You squash as in the paper of 1997, the candidate to ±2 by 4 sigmoid(z) - 2, and the cell by 2 "
        "sigmoid(c) - 1, which are 2 tanh(z / 2) and tanh(c / 2). Asked for is tanh for both.",
    ),
]
