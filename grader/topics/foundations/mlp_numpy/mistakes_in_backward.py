"""Known wrong versions of `mlp_numpy` in backward: what is summed, what is masked, what is kept."""

from grader.kit import Mistake

_W1 = '"W1": self._x.T @ grad_pre,'
_B1 = '"b1": grad_pre.sum(axis=0),'
_HIDDEN = "        grad_hidden = grad_output @ self.W2.T  # (batch, hidden)\n"
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
    Mistake(
        "hidden-values-overwritten",
        find=_HIDDEN,
        replace="""\
        grad_w2 = self._hidden.T @ grad_output
        grad_hidden = np.matmul(grad_output, self.W2.T, out=self._hidden)
        grad_hidden *= self._pre > 0
""",
        also=(('"W2": self._hidden.T @ grad_output', '"W2": grad_w2'),),
        says="backward writes into what forward has kept: the gradient takes the place of the hidden values, "
        "for example. A second backward for the same forward then gives wrong gradients for W2, without a "
        "word. Leave them as they are.",
    ),
    *(
        Mistake(
            f"{what}-overwritten-with-the-gradient",
            find="grad_pre = grad_hidden * (self._pre > 0)",
            replace="grad_w2 = self._hidden.T @ grad_output\n"
            f"        self._pre[:] = grad_hidden * (self._pre > 0)\n        {then}grad_pre = self._pre",
            also=(('"W2": self._hidden.T @ grad_output', '"W2": grad_w2'),),
            says="backward writes the gradient where forward has kept what went into ReLU, or what came out: "
            "a second backward for the same forward then takes its mask from a gradient, without a word. "
            "Leave what forward has kept as it is.",
        )
        for what, then in (
            ("mask", ""),
            ("mask-and-hidden-values", "self._hidden = np.maximum(self._pre, 0)\n        "),
            ("mask-and-outputs", "self._hidden = self._pre\n        "),
        )
    ),
    Mistake(
        "units-closed-for-the-whole-batch-alone",
        find="grad_pre = grad_hidden * (self._pre > 0)",
        replace="grad_pre = grad_hidden * (self._pre > 0).any(axis=0)",
        says="backward stops the gradient of a unit only where ReLU closed it for every example of the "
        "batch. A unit is open for some and closed for others, and each example counts by itself: multiply "
        "by (pre > 0), which is (batch, hidden).",
    ),
    Mistake(
        "first-bias-behind-relu",
        find="        self._pre = x @ self.W1 + self.b1  # (batch, hidden)\n"
        "        self._hidden = np.maximum(self._pre, 0)\n",
        replace="        self._pre = x @ self.W1\n"
        "        self._hidden = np.maximum(self._pre, 0) + self.b1\n",
        also=((_B1, '"b1": grad_hidden.sum(axis=0),'),),
        says="You add b1 behind ReLU. There it does not decide which units are open, and adds only one more "
        "constant to the output: ReLU gets x @ W1 + b1.",
    ),
]
