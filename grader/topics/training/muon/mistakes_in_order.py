"""Known wrong versions of `muon`: factors, norms and buffers, and parameters without a gradient."""

from grader.kit import Mistake

NORMALIZED = "x = x / (x.norm() + eps)"
GRAM = "gram = x @ x.T  # (m, m)"
POLYNOMIAL = "(b * gram + c * gram @ gram)"
UPDATE = "update = param.grad + self.momentum * buffer if self.nesterov else buffer"
SKIP = "            if param.grad is None:\n                continue\n"
DECAY = "param.mul_(1 - self.lr * self.weight_decay)"
STEP = "param.sub_(self.lr * max(1, rows / cols) ** 0.5 * direction)"

MISTAKES = [
    Mistake(
        "factor-of-the-longer-side",
        find="max(1, rows / cols) ** 0.5",
        replace="(max(rows, cols) / min(rows, cols)) ** 0.5",
        says="You stretch wide matrices as well, by the root of the longer side over the shorter. The factor "
        "is sqrt(max(1, rows / cols)): 1 where there are more columns than rows.",
    ),
    Mistake(
        "factor-at-most-one",
        find="max(1, rows / cols) ** 0.5",
        replace="min(1, rows / cols) ** 0.5",
        says="Your factor is sqrt(min(1, rows / cols)): wide matrices shrink, and tall ones do not grow. It "
        "is max.",
    ),
    Mistake(
        "divided-by-the-last-coefficient",
        find=POLYNOMIAL,
        replace="(c * (gram @ gram + b / gram.new_tensor(c) * gram))",
        says="You divide by the last coefficient, which may be 0: NaN. b A + c A² needs no division.",
    ),
    Mistake(
        "number-divided-by-the-last-coefficient",
        find=POLYNOMIAL,
        replace="(c * (gram @ gram + b / c * gram))",
        says="You divide by the last coefficient, which may be 0: ZeroDivisionError. b A + c A² needs no "
        "division.",
    ),
    Mistake(
        "one-step-more",
        find="for _ in range(steps):",
        replace="for _ in range(steps + 1):",
        says="You make one step more than `steps`.",
    ),
    Mistake(
        "gram-of-the-first-step",
        find=GRAM,
        replace="gram = x @ x.T if _ == 0 else gram",
        says="You take the Gram matrix of the first step in all of them. A = X Xᵀ changes with X: compute it "
        "in the loop.",
    ),
    Mistake(
        "norm-of-at-least-one",
        find=NORMALIZED,
        replace="x = x / x.norm().clamp(min=1.0)",
        says="You divide by 1 at least, so small matrices stay small. The matrix is divided by its norm, "
        "whatever that is; only eps guards zeros.",
    ),
    Mistake(
        "divided-by-the-largest-entry",
        find=NORMALIZED,
        replace="x = x / (x.abs().max() + eps)",
        says="You divide by the largest entry. Singular values are then above 1, and the polynomial runs "
        "away: divide by the Frobenius norm, the root of the sum of squares.",
    ),
    Mistake(
        "nesterov-exchanged",
        find=UPDATE,
        replace="update = buffer if self.nesterov else param.grad + self.momentum * buffer",
        says="You have it the wrong way round: nesterov=True is what takes G + momentum * B, and False B.",
    ),
    Mistake(
        "momentum-on-the-gradient",
        find=UPDATE,
        replace="update = self.momentum * param.grad + buffer if self.nesterov else buffer",
        says="Your Nesterov step multiplies G by the momentum. It is B that is: U = G + momentum * B.",
    ),
    Mistake(
        "decayed-without-a-gradient",
        find=SKIP,
        replace="            if param.grad is None:\n"
        "                with torch.no_grad():\n"
        f"                    {DECAY}\n"
        "                continue\n",
        says="A parameter without a gradient decays: you shrink all of them before you look whether there is "
        "one. Skip it as a whole.",
    ),
    Mistake(
        "ended-at-a-missing-gradient",
        find=SKIP,
        replace="            if param.grad is None:\n                return\n",
        says="Your step ends at the first parameter without a gradient (return or break in the place of "
        "continue): those behind it stay as they are. Skip that one alone.",
    ),
    Mistake(
        "buffer-fades-without-a-gradient",
        find=SKIP,
        replace="            if param.grad is None:\n"
        "                buffer.mul_(self.momentum)\n"
        "                continue\n",
        says="The buffer of a parameter without a gradient is multiplied by the momentum. It stays as it is.",
    ),
    Mistake(
        "buffer-cleared-without-a-gradient",
        find=SKIP,
        replace="            if param.grad is None:\n"
        "                buffer.zero_()\n"
        "                continue\n",
        says="A parameter without a gradient loses its buffer: it begins anew. The buffer stays as it is.",
    ),
    Mistake(
        "parameters-frozen-by-the-step",
        find=STEP,
        replace=f"{STEP}\n                param.requires_grad_(False)",
        says="After your step the parameters do not require gradients. They stay leaves that do: compute "
        "under torch.no_grad() instead.",
    ),
    Mistake(
        "zero-grad-of-the-first",
        find="        for param in self.params:\n            param.grad = None",
        replace="        for param in self.params:\n            param.grad = None\n            break",
        says="zero_grad clears the gradient of the first parameter alone. It is all of them.",
    ),
    Mistake(
        "gradient-kept-as-the-buffer",
        find="self.buffers = [torch.zeros_like(param) for param in self.params]",
        replace="self.buffers = [None] * len(self.params)",
        also=(
            (
                "for param, buffer in zip(self.params, self.buffers, strict=True):",
                "for number, param in enumerate(self.params):",
            ),
            (
                "buffer.mul_(self.momentum).add_(param.grad)",
                """\
buffer = self.buffers[number]
                buffer = param.grad if buffer is None else self.momentum * buffer + param.grad
                self.buffers[number] = buffer""",
            ),
        ),
        says="Your buffer is the first gradient itself, and no copy. Who writes the next gradient into the "
        "same tensor (after zero_grad(set_to_none=False), for example) writes over your momentum. "
        "Clone it, or add it to zeros.",
    ),
]
