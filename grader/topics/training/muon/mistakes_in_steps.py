"""Known wrong versions of `muon`: the steps."""

from grader.kit import Mistake
from grader.kit.families.instance_mistakes import kept_on_the_class

SUM = "buffer.mul_(self.momentum).add_(param.grad)"
UPDATE = "update = param.grad + self.momentum * buffer if self.nesterov else buffer"
DIRECTION = "direction = newton_schulz(update, self.ns_steps)"
DECAY = "param.mul_(1 - self.lr * self.weight_decay)"
STEP = "param.sub_(self.lr * max(1, rows / cols) ** 0.5 * direction)"
SKIP = """\
            if param.grad is None:
                continue
"""
CHECK = """\
        if any(param.dim() != 2 for param in self.params):
            raise ValueError("Muon is for matrices: vectors and others need another optimizer")
"""

MISTAKES = [
    Mistake(
        "each-gradient-orthogonalized",
        find=SUM,
        replace="buffer.mul_(self.momentum).add_(newton_schulz(param.grad, self.ns_steps))",
        also=(
            (
                UPDATE,
                "update = newton_schulz(param.grad, self.ns_steps) + self.momentum * buffer "
                "if self.nesterov else buffer",
            ),
            (DIRECTION, "direction = update"),
        ),
        says="You orthogonalize each gradient and take the momentum of that. It is the other way round: the "
        "momentum first, so that noise averages out, then Newton-Schulz.",
    ),
    Mistake(
        "nesterov-left-out",
        find=UPDATE,
        replace="update = buffer",
        says="Your update is B also where nesterov is True. Then it is G + momentum * B, with the new B that "
        "has taken in G already.",
    ),
    Mistake(
        "nesterov-always",
        find=UPDATE,
        replace="update = param.grad + self.momentum * buffer",
        says="You take Nesterov's form in any case. With nesterov=False the update is B.",
    ),
    Mistake(
        "nesterov-without-momentum",
        find="param.grad + self.momentum * buffer if",
        replace="param.grad + buffer if",
        says="Your Nesterov update is G + B. It is G + momentum * B.",
    ),
    Mistake(
        "no-momentum",
        find=SUM,
        replace="buffer.copy_(param.grad)",
        says="You orthogonalize the gradient alone. B = momentum * B + G.",
    ),
    Mistake(
        "factor-upside-down",
        find="max(1, rows / cols) ** 0.5",
        replace="max(1, cols / rows) ** 0.5",
        says="Your factor has cols / rows. It is sqrt(max(1, rows / cols)): larger than 1 for tall matrices.",
    ),
    Mistake(
        "factor-below-one",
        find="max(1, rows / cols) ** 0.5",
        replace="(rows / cols) ** 0.5",
        says="Your factor is less than 1 for wide matrices. It is at least 1: sqrt(max(1, rows / cols)).",
    ),
    Mistake(
        "factor-missing",
        find=" * max(1, rows / cols) ** 0.5",
        replace="",
        says="You leave out the factor sqrt(max(1, rows / cols)) of the step.",
    ),
    Mistake(
        "factor-without-root",
        find="max(1, rows / cols) ** 0.5",
        replace="max(1, rows / cols)",
        says="Your factor is max(1, rows / cols), without the root.",
    ),
    Mistake(
        "factor-of-whole-numbers",
        find="self.lr * max(1, rows / cols)",
        replace="self.lr * max(1, rows // cols)",
        says="You divide rows // cols, which rounds down. The factor is sqrt(max(1, rows / cols)).",
    ),
    Mistake(
        "factor-of-moonlight",
        find="max(1, rows / cols) ** 0.5",
        replace="0.2 * max(rows, cols) ** 0.5",
        says="Your factor is 0.2 * sqrt(max(rows, cols)), which gives steps the size of AdamW's. Here it is "
        "the original one, sqrt(max(1, rows / cols)).",
    ),
    Mistake(
        "decay-in-the-gradient",
        find=DECAY,
        replace="pass",
        also=(
            (
                SUM,
                "grad = param.grad + self.weight_decay * param\n"
                "                buffer.mul_(self.momentum).add_(grad)",
            ),
            (UPDATE, "update = grad + self.momentum * buffer if self.nesterov else buffer"),
        ),
        says="You add weight_decay * W to the gradient. After Newton-Schulz little is left of it; the decay "
        "is taken from the weights themselves, as in AdamW.",
    ),
    Mistake(
        "decay-scaled-by-the-factor",
        find=DECAY,
        replace="param.mul_(1 - self.lr * max(1, rows / cols) ** 0.5 * self.weight_decay)",
        says="You scale the decay by the shape factor, too. It is lr * weight_decay * W.",
    ),
    Mistake(
        "decay-without-the-learning-rate",
        find=DECAY,
        replace="param.mul_(1 - self.weight_decay)",
        says="You decay by weight_decay alone. It is lr * weight_decay * W.",
    ),
    Mistake(
        "decay-after-the-step",
        find=DECAY,
        replace=STEP,
        also=((f"{STEP}\n\n", f"{DECAY}\n\n"),),
        says="You decay after the step, and so a part of the step as well. The decay is that of the old W.",
    ),
    Mistake(
        "decay-forgotten",
        find=DECAY,
        replace="pass",
        says="You never use weight_decay: lr * weight_decay * W is taken off the weights.",
    ),
    Mistake(
        "ns-steps-ignored",
        find=DIRECTION,
        replace="direction = newton_schulz(update)",
        says="You never use ns_steps: Newton-Schulz always takes its five.",
    ),
    Mistake(
        "up-instead-of-down",
        find="param.sub_(",
        replace="param.add_(",
        says="You step along the gradient, uphill. Subtract.",
    ),
    Mistake(
        "missing-gradients-taken-for-zeros",
        find=SKIP,
        replace="            if param.grad is None:\n                param.grad = torch.zeros_like(param)\n",
        says="You treat a missing gradient as zeros: the parameter decays and goes on along its momentum. "
        "Skip it.",
    ),
    Mistake(
        "gradients-of-zeros-skipped",
        find="if param.grad is None:",
        replace="if param.grad is None or not param.grad.any():",
        says="You skip a parameter whose gradient is all zeros. Only a gradient of None is none: zeros decay "
        "the weights, and the momentum goes on.",
    ),
    Mistake(
        "missing-gradient-unnoticed",
        find=SKIP,
        replace="",
        says="You compute with param.grad where it is None. Skip such a parameter.",
    ),
    Mistake(
        "dimensions-not-checked",
        find=CHECK,
        replace="",
        says="You accept parameters that are no matrices. Raise a ValueError when the optimizer is made.",
    ),
    Mistake(
        "vectors-refused-only",
        find="param.dim() != 2",
        replace="param.dim() < 2",
        says="You accept parameters of three and more dimensions (convolutions). Only two are allowed here: "
        "raise a ValueError for all others.",
    ),
    Mistake(
        "gradient-changed",
        find=STEP,
        replace=f"{STEP}\n                param.grad.add_(buffer)",
        says="You change the gradient: in place (add_, lerp_, zero_ and the like), or by setting it to None "
        "(zero_grad). The caller may look at it after the step: leave it as it is.",
    ),
    Mistake(
        "buffer-changed-by-nesterov",
        find=UPDATE,
        replace="update = buffer.mul_(self.momentum).add_(param.grad) if self.nesterov else buffer",
        says="You make the Nesterov update in place, in the buffer itself: the momentum goes on from it. "
        "Make a new tensor.",
    ),
    Mistake(
        "zero-grad-fills-with-zeros",
        find="            param.grad = None",
        replace="            if param.grad is not None:\n                param.grad.zero_()",
        says="Your zero_grad fills the gradients with zeros. Set them to None.",
    ),
    Mistake(
        "buffers-on-the-default-device",
        find="torch.zeros_like(param)",
        replace="torch.zeros(param.shape, dtype=param.dtype)",
        says="You make the buffers on the default device. torch.zeros_like takes device and dtype from the "
        "parameter.",
    ),
    kept_on_the_class("self.momentum = momentum", "the momentum"),
    Mistake(
        "default-momentum",
        find="momentum: float = 0.95",
        replace="momentum: float = 0.9",
        says="Your momentum is not 0.95 by default.",
    ),
    Mistake(
        "default-weight-decay",
        find="weight_decay: float = 0.1",
        replace="weight_decay: float = 0.0",
        says="Your weight_decay is not 0.1 by default.",
    ),
    Mistake(
        "default-learning-rate",
        find="lr: float = 1e-3",
        replace="lr: float = 0.02",
        says="Your learning rate is not 1e-3 by default (that of the first Muon was 0.02).",
    ),
    Mistake(
        "buffers-on-the-class",
        find="self.buffers = [torch.zeros_like(param) for param in self.params]",
        replace="pass",
        also=(
            ("class Muon:\n", "class Muon:\n    buffers: dict = {}\n\n"),
            (
                "for param, buffer in zip(self.params, self.buffers, strict=True):",
                "for param in self.params:\n"
                "            buffer = self.buffers.setdefault(param, torch.zeros_like(param))",
            ),
        ),
        says="Your buffers belong to all optimizers together (they lie in a dict on the class, for example): "
        "a second one over the same tensors goes on with the first's momentum. Make them in __init__.",
    ),
]
