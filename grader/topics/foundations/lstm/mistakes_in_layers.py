"""Known wrong versions of `lstm` whose state has a dimension for layers, as that of nn.LSTM."""

from grader.kit import Mistake

_BEGIN = "        outputs = []"
_CHUNK = "gates.chunk(4, dim=1)"
_RETURN = "        return torch.stack(outputs, dim=1), (hidden, cell)"
_LAYERED = _RETURN.replace("(hidden, cell)", "(hidden.unsqueeze(0), cell.unsqueeze(0))")


def _taken(by: str) -> tuple[tuple[str, str], ...]:
    return ((_BEGIN, f"{_BEGIN}\n        state = state and tuple(each{by} for each in state)"),)


MISTAKES = [
    # Handed in again, such a state raises here or there, or is right where the dimension is taken off.
    *(
        Mistake(
            f"state-with-a-layer-dimension{id}",
            find=_RETURN,
            replace=_LAYERED,
            also=also,
            says="Your last state has a dimension for layers, as nn.LSTM's has. It is (batch, hidden), and "
            "so is the state that is handed in.",
        )
        for id, also in (
            ("", ()),
            ("-and-gates-split", ((_CHUNK, "gates.split(self.hidden_size, dim=1)"),)),
            ("-and-gates-cut-from-the-end", ((_CHUNK, "gates.chunk(4, dim=-1)"),)),
            ("-squeezed-when-it-comes-in", _taken(".squeeze(0)")),
        )
    ),
    Mistake(
        "state-with-a-layer-dimension-both-ways",
        find=_RETURN,
        replace=_LAYERED,
        also=_taken("[0]"),
        says="Your states have a dimension for layers, coming in and going out, as nn.LSTM's have. Asked for "
        "is (batch, hidden), both times: of what is handed in you take the first sequence's for all.",
    ),
]
