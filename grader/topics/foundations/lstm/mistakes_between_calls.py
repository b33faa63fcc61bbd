"""Known wrong versions of `lstm` that keep the state from call to call."""

from grader.kit import Mistake

_BEGIN = "        outputs = []"
_RETURN = "        return torch.stack(outputs, dim=1), (hidden, cell)"
_KEEP = "        self.state = hidden.detach(), cell.detach()\n" + _RETURN
_PRODUCTS = "x @ self.weight_ih.T + self.bias_ih + hidden @ self.weight_hh.T + self.bias_hh"
_OTHERS = {
    "": _PRODUCTS,
    "-by-linear": "nn.functional.linear(x, self.weight_ih, self.bias_ih)"
    " + nn.functional.linear(hidden, self.weight_hh, self.bias_hh)",
    "-by-einsum": "torch.einsum('bi,gi->bg', x, self.weight_ih) + self.bias_ih"
    " + torch.einsum('bh,gh->bg', hidden, self.weight_hh) + self.bias_hh",
    "-by-one-product": "torch.cat((x, hidden), dim=1)"
    " @ torch.cat((self.weight_ih, self.weight_hh), dim=1).T + self.bias_ih + self.bias_hh",
}
"""By the end of an id how the gates are computed. A state that was kept in float32 raises with other words in
each, or is promoted.
"""

MISTAKES = [
    *(
        Mistake(
            f"state-kept-between-calls{id}",
            find=_BEGIN,
            replace='        outputs, state = [], state or getattr(self, "state", None)',
            also=((_RETURN, _KEEP), (_PRODUCTS, products)),
            says="A call without a state goes on from where the last call ended. None means zeros: who wants "
            "to go on hands the state in.",
        )
        for id, products in _OTHERS.items()
    ),
    Mistake(
        "state-kept-for-calls-of-the-same-kind",
        find=_BEGIN,
        replace="""\
        kept = getattr(self, "state", None)
        if state is None and kept and (kept[0].dtype, len(kept[0])) == (x.dtype, len(x)):
            state = kept
        outputs = []""",
        also=((_RETURN, _KEEP),),
        says="Something is kept from call to call, so that the same call without a state comes to other "
        "values each time: the last state, for example, where the next x has the same shape and dtype. None "
        "means zeros: who wants to go on hands the state in.",
    ),
]
