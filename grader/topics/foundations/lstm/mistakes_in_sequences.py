"""Known wrong versions of `lstm` whose sequence leaves out a bias that the cell has."""

from grader.kit import Mistake

_STEP = "            hidden, cell = state = self.cell(step, state)\n"


def _step(biases: str) -> str:
    """A step of the sequence that does not call the cell. `biases`: what is added to the products."""
    return f"""\
            own = self.cell
            old_hidden, old_cell = state or (step.new_zeros(len(step), own.hidden_size),) * 2
            gates = step @ own.weight_ih.T + old_hidden @ own.weight_hh.T{biases}
            i, f, g, o = gates.chunk(4, dim=1)
            cell = torch.sigmoid(f) * old_cell + torch.sigmoid(i) * torch.tanh(g)
            hidden = torch.sigmoid(o) * torch.tanh(cell)
            state = hidden, cell
"""


MISTAKES = [
    Mistake(
        f"{name}-left-out-by-the-sequence",
        find=_STEP,
        replace=_step(biases),
        says=f"Your cell is right, but the sequence, which does not call it, leaves out {what}. Its gates "
        "are the cell's: both biases are added in every step, also where the input's part is computed for "
        "all steps at once.",
    )
    for name, what, biases in (
        ("bias-hh", "bias_hh", " + own.bias_ih"),
        ("bias-ih", "bias_ih", " + own.bias_hh"),
        ("biases", "both biases", ""),
    )
]
