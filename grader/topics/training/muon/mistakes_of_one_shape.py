"""Known wrong versions of `muon` that take matrices of one shape together."""

from grader.kit import Mistake

NORMALIZED = "x = x / (x.norm() + eps)"
LOOP = """\
        for param, buffer in zip(self.params, self.buffers, strict=True):
            if param.grad is None:
                continue
            with torch.no_grad():
                buffer.mul_(self.momentum).add_(param.grad)
                # The momentum is orthogonalized, not each gradient: noise has to average out before.
                update = param.grad + self.momentum * buffer if self.nesterov else buffer
                direction = newton_schulz(update, self.ns_steps)
"""
TOGETHER = """\
        updates: dict = {}
        shapes: dict = {}
        for param, buffer in zip(self.params, self.buffers, strict=True):
            if param.grad is None:
                continue
            with torch.no_grad():
                buffer.mul_(self.momentum).add_(param.grad)
                updates[param] = param.grad + self.momentum * buffer if self.nesterov else buffer
                shapes.setdefault(KEY, []).append(updates[param].flatten())
        for param, update in updates.items():
            with torch.no_grad():
                norm = torch.cat(shapes[KEY]).norm()
                direction = newton_schulz(update, self.ns_steps, norm=norm)
"""


def normalized_together(id_: str, key: str, says: str) -> Mistake:
    """With one norm for all updates of one key."""
    return Mistake(
        id_,
        find=LOOP,
        replace=TOGETHER.replace("KEY", key),
        also=(
            ("    eps: float = 1e-7,\n", "    eps: float = 1e-7,\n    norm: Tensor | None = None,\n"),
            (NORMALIZED, "x = x / ((x.norm() if norm is None else norm) + eps)"),
        ),
        says=says,
    )


MISTAKES = [
    normalized_together(
        "one-norm-for-a-shape",
        "param.shape",
        "Matrices of one shape get one norm in your step: that of all of them together (of the stack in "
        "which you orthogonalize them, for example). Each is divided by its own Frobenius norm: in a stack "
        "that is the norm along the last two dimensions.",
    ),
    normalized_together(
        "one-norm-for-both-orientations",
        "tuple(sorted(param.shape))",
        "Matrices of the same two sizes, (3, 5) and (5, 3) for example, get one norm in your step: that of "
        "all of them together. Each is divided by its own Frobenius norm: in a stack that is the norm along "
        "the last two dimensions.",
    ),
    Mistake(
        "one-buffer-for-a-shape",
        find="self.buffers = [torch.zeros_like(param) for param in self.params]",
        replace="""\
shapes = {param.shape: torch.zeros_like(param) for param in self.params}
        self.buffers = [shapes[param.shape] for param in self.params]""",
        says="Parameters of one shape share a buffer in your optimizer (it is kept by shape, for example), "
        "so that each adds its gradient to the others' momentum. Every parameter has a buffer of its own.",
    ),
]
