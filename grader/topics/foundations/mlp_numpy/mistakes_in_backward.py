"""Known wrong versions of `mlp_numpy` in single gradients: what is summed, before or after ReLU's mask."""

from grader.kit import Mistake

_W1 = '"W1": self._x.T @ grad_pre,'
_B1 = '"b1": grad_pre.sum(axis=0),'
_B2 = '"b2": grad_output.sum(axis=0),'

MISTAKES = [
    *(
        Mistake(
            id,
            find=find,
            replace=replace,
            also=also,
            says=f"Your gradient{plural} {words} summed over the batch and over the units as well, so that "
            "all units get the same. Each unit has a bias of its own: sum over axis 0 alone.",
        )
        for id, find, replace, also, plural, words in (
            (
                "b2-gradient-of-all-outputs",
                _B2,
                '"b2": np.full_like(self.b2, grad_output.sum()),',
                (),
                "",
                "of b2 is",
            ),
            (
                "b1-gradient-of-all-units",
                _B1,
                '"b1": np.full_like(self.b1, grad_pre.sum()),',
                (),
                "",
                "of b1 is",
            ),
            (
                "bias-gradients-of-all-units",
                _B1,
                '"b1": np.full_like(self.b1, grad_pre.sum()),',
                ((_B2, '"b2": np.full_like(self.b2, grad_output.sum()),'),),
                "s",
                "of b1 and b2 are",
            ),
        )
    ),
    Mistake(
        "first-layers-gradients-before-the-mask",
        find=_W1,
        replace='"W1": self._x.T @ grad_hidden,',
        also=((_B1, '"b1": grad_hidden.sum(axis=0),'),),
        says="Your gradients of W1 and b1 are taken from the gradient before ReLU's mask. ReLU passes on "
        "what its input was positive for: go on with grad_hidden * (pre > 0).",
    ),
]
