"""Known wrong versions of `adamw`."""

from grader.kit import Mistake

DECAY = "                param.mul_(1 - self.lr * self.weight_decay)\n"
AVERAGE = 'state["exp_avg"].mul_(beta1).add_(param.grad, alpha=1 - beta1)'
SQUARE = 'state["exp_avg_sq"].mul_(beta2).addcmul_(param.grad, param.grad, value=1 - beta2)'
UPDATE = "param.sub_(self.lr * exp_avg / (exp_avg_sq.sqrt() + self.eps))"
SKIP = """\
            if param.grad is None:
                continue
"""

MISTAKES = [
    Mistake(
        "decay-in-the-gradient",
        find=DECAY,
        replace="                grad = param.grad + self.weight_decay * param\n",
        also=(
            (AVERAGE, 'state["exp_avg"].mul_(beta1).add_(grad, alpha=1 - beta1)'),
            (SQUARE, 'state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)'),
        ),
        says="You add weight_decay times the weights to the gradient: that is Adam with an L2 penalty. It "
        "is then divided by sqrt(exp_avg_sq) like the rest, so weights with large gradients are hardly "
        "decayed. In AdamW the decay is decoupled: p -= lr * weight_decay * p, beside the gradient's step.",
    ),
    Mistake(
        "decay-without-the-learning-rate",
        find="param.mul_(1 - self.lr * self.weight_decay)",
        replace="param.mul_(1 - self.weight_decay)",
        says="You decay the weights by weight_decay itself. In torch.optim.AdamW it is lr * weight_decay, "
        "so that the decay follows the schedule of the learning rate.",
    ),
    Mistake(
        "decay-after-the-step",
        find=DECAY,
        replace="",
        also=((UPDATE, f"{UPDATE}\n{DECAY}".rstrip()),),
        says="You decay the weights after the gradient's step, and so a part of that step as well. "
        "torch.optim.AdamW decays the old weights first: p * (1 - lr * weight_decay) - step.",
    ),
    Mistake(
        "decay-forgotten",
        find=DECAY,
        replace="",
        says="You never use weight_decay: these are the steps of Adam. AdamW also takes lr * weight_decay "
        "* p off the weights.",
    ),
    Mistake(
        "vectors-not-decayed",
        find="param.mul_(1 - self.lr * self.weight_decay)",
        replace="param.mul_(1 - self.lr * self.weight_decay if param.dim() > 1 else 1)",
        says="You decay matrices only. Biases and norms are often spared in practice, but by giving them to "
        "the optimizer as a group without decay: here every parameter is decayed.",
    ),
    Mistake(
        "decay-grows-the-weights",
        find="param.mul_(1 - self.lr * self.weight_decay)",
        replace="param.mul_(1 + self.lr * self.weight_decay)",
        says="You add lr * weight_decay * p to the weights, so they grow. Decay takes it off.",
    ),
    Mistake(
        "decay-of-zero-by-default",
        find="weight_decay: float = 1e-2",
        replace="weight_decay: float = 0.0",
        says="Your weight_decay is 0 by default, as in torch.optim.Adam. That of AdamW is 1e-2.",
    ),
    Mistake(
        "no-bias-correction",
        find='state["exp_avg"] / (1 - beta1 ** state["step"])',
        replace='state["exp_avg"]',
        also=(('state["exp_avg_sq"] / (1 - beta2 ** state["step"])', 'state["exp_avg_sq"]'),),
        says="You use the running averages as they are. They start at zero and are too small at first: "
        "divide by 1 - beta**t, t being the number of steps so far, this one included.",
    ),
    Mistake(
        "only-the-average-corrected",
        find='state["exp_avg_sq"] / (1 - beta2 ** state["step"])',
        replace='state["exp_avg_sq"]',
        says="You correct the average of the gradient and not that of its square. Both start at zero: "
        "divide the second by 1 - beta2**t as well, or the first steps are far too long.",
    ),
    Mistake(
        "only-the-square-corrected",
        find='state["exp_avg"] / (1 - beta1 ** state["step"])',
        replace='state["exp_avg"]',
        says="You correct the average of the squares and not that of the gradient itself. Both start at "
        "zero: divide the first by 1 - beta1**t as well, or the first steps are too short.",
    ),
    Mistake(
        "missing-gradients-taken-for-zeros",
        find=SKIP,
        replace="""\
            if param.grad is None:
                param.grad = torch.zeros_like(param)
""",
        says="You treat a missing gradient as zeros, so the parameter is decayed and goes on moving by "
        "its old average. Skip a parameter whose gradient is None altogether.",
    ),
    Mistake(
        "skipped-parameters-decay",
        find=SKIP,
        replace="""\
            if param.grad is None:
                with torch.no_grad():
                    param.mul_(1 - self.lr * self.weight_decay)
                continue
""",
        says="You decay parameters that have no gradient, too. They are skipped: nothing happens to them.",
    ),
    Mistake(
        "gradients-of-zeros-skipped",
        find="if param.grad is None:",
        replace="if param.grad is None or not param.grad.any():",
        says="You skip a parameter whose gradient is all zeros. Only a gradient of None is none: zeros "
        "decay the weights, and the averages go on.",
    ),
    Mistake(
        "missing-gradient-unnoticed",
        find=SKIP,
        replace="",
        says="You compute with param.grad where it is None. Skip such a parameter: it took no part in the "
        "loss.",
    ),
    Mistake(
        "eps-inside-the-root",
        find="(exp_avg_sq.sqrt() + self.eps)",
        replace="(exp_avg_sq + self.eps).sqrt()",
        says="You add eps under the root. In Adam it stands outside: sqrt(v) + eps.",
    ),
    Mistake(
        "eps-before-the-correction",
        find=UPDATE,
        replace="""\
corrected = (state["exp_avg_sq"].sqrt() + self.eps) / (1 - beta2 ** state["step"]) ** 0.5
                param.sub_(self.lr * exp_avg / corrected)""",
        says="You add eps before the average of the squares is corrected, so that it is corrected too and "
        "counts for more in the first steps. Correct first, then take the root, then add eps.",
    ),
    Mistake(
        "betas-swapped",
        find="        beta1, beta2 = self.betas",
        replace="        beta2, beta1 = self.betas",
        says="You use the two betas the wrong way round. The first is that of the gradient's average, the "
        "second that of its square's.",
    ),
    Mistake(
        "betas-for-the-new",
        find="mul_(beta1).add_(param.grad, alpha=1 - beta1)",
        replace="mul_(1 - beta1).add_(param.grad, alpha=beta1)",
        also=(
            (
                "mul_(beta2).addcmul_(param.grad, param.grad, value=1 - beta2)",
                "mul_(1 - beta2).addcmul_(param.grad, param.grad, value=beta2)",
            ),
        ),
        says="You weight the new gradient with beta and the old average with 1 - beta. It is the other "
        "way round: beta is how much of the old stays.",
    ),
    Mistake(
        "new-gradient-unweighted",
        find="add_(param.grad, alpha=1 - beta1)",
        replace="add_(param.grad)",
        says="You add the whole gradient to beta1 times the old average, as SGD with momentum does. An "
        "average takes 1 - beta1 of it.",
    ),
    Mistake(
        "square-of-the-average",
        find=SQUARE,
        replace="""\
square = state["exp_avg"].square()
                state["exp_avg_sq"].mul_(beta2).add_(square, alpha=1 - beta2)""",
        says="You average the square of exp_avg. The second average is that of the squared gradient itself.",
    ),
    Mistake(
        "no-root",
        find="(exp_avg_sq.sqrt() + self.eps)",
        replace="(exp_avg_sq + self.eps)",
        says="You divide by the average square, without the root. With the root the step does not depend "
        "on the gradient's scale; without it, small gradients give huge steps.",
    ),
    Mistake(
        "gradient-instead-of-its-average",
        find='state["exp_avg"] / (1 - beta1 ** state["step"])',
        replace="param.grad",
        says="Your step goes along the gradient of this step alone: that is RMSProp. Adam takes its "
        "running average, exp_avg.",
    ),
    Mistake(
        "gradient-changed",
        find=SQUARE,
        replace='state["exp_avg_sq"].mul_(beta2).add_(param.grad.square_(), alpha=1 - beta2)',
        says="You change the gradient: you square it in place, for example, or lend its memory to the "
        "denominator. The caller may look at it after the step, or add to it: leave it as it is.",
    ),
    Mistake(
        "zero-grad-fills-with-zeros",
        find="            param.grad = None",
        replace="""\
            if param.grad is not None:
                param.grad.zero_()""",
        says="Your zero_grad fills the gradients with zeros. Set them to None: that frees their memory, "
        "and a parameter that takes no part in the next loss is then skipped rather than decayed.",
    ),
    Mistake(
        "new-tensors-for-the-parameters",
        find="param.mul_(1 - self.lr * self.weight_decay)",
        replace="new = param * (1 - self.lr * self.weight_decay)",
        also=((UPDATE, f"new = new - {UPDATE.removeprefix('param.sub_(')[:-1]}"),),
        says="You compute new values and never write them into the caller's tensors (to bind a name such "
        "as `param` to them does not): the model does not learn. Update in place, under torch.no_grad().",
    ),
    Mistake(
        "moments-on-the-default-device",
        find="exp_avg=torch.zeros_like(param), exp_avg_sq=torch.zeros_like(param)",
        replace="exp_avg=torch.zeros(param.shape, dtype=param.dtype), "
        "exp_avg_sq=torch.zeros(param.shape, dtype=param.dtype)",
        says="You make tensors on the default device: where the parameters are on another one, the step "
        "fails. torch.zeros_like takes device and dtype from the parameter.",
    ),
    Mistake(
        "averages-on-the-class",
        find="class AdamW:",
        replace="KEPT: dict = {}\n\n\nclass AdamW:",
        also=(("[{} for _ in self.params]", "[KEPT.setdefault(param, {}) for param in self.params]"),),
        says="Your averages outlive the optimizer, on the class for example: a second one over the same "
        "tensors goes on with those of the first. Keep them on self.",
    ),
    Mistake(
        "non-contiguous-through-a-copy",
        find="param.mul_(1 - self.lr * self.weight_decay)",
        replace="param.reshape(-1).mul_(1 - self.lr * self.weight_decay)",
        also=((UPDATE, UPDATE.replace("param.sub_(", "param.reshape(-1).sub_((")[:-1] + ").reshape(-1))"),),
        says="A parameter that is not contiguous never changes: reshape(-1) (flatten, contiguous) gives a "
        "copy of it, and you update that copy. Work on the tensor as it is; no step needs it flat.",
    ),
    Mistake(
        "recorded-by-autograd",
        find="param.mul_(1 - self.lr * self.weight_decay)",
        replace="param.data = param * (1 - self.lr * self.weight_decay)",
        also=(("with torch.no_grad():", "with torch.enable_grad():"),),
        says="You change parameters while autograd records: an in-place operation on a leaf that requires "
        "gradients raises. Do it under torch.no_grad().",
    ),
    Mistake(
        "sizes-for-squares",
        find="addcmul_(param.grad, param.grad, value=1 - beta2)",
        replace="add_(param.grad.abs(), alpha=1 - beta2)",
        says="Your second average is that of the gradient's size, |g|. It is that of its square: the root of "
        "that average has the gradient's unit again, and divides it.",
    ),
]
