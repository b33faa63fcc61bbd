"""Known wrong versions of `loss_scaling`: by what is divided, multiplied and counted otherwise."""

from grader.kit import Mistake

DIVIDE = "grad.div_(self.current)"
GROWN = "self._good_updates == self.growth_interval"
GROW = "self.current *= self.growth_factor"

MISTAKES = [
    Mistake(
        "parameters-of-the-first-step",
        find="            for group in optimizer.param_groups\n",
        replace="            for group in self._known.setdefault(optimizer, list(optimizer.param_groups))\n",
        also=(
            ("        self.current = init_scale\n", "        self.current, self._known = init_scale, {}\n"),
        ),
        says="You keep the parameters that an optimizer has at its first step. A group that is added later "
        "is neither checked nor divided: go through optimizer.param_groups in every step.",
    ),
    Mistake(
        "divided-by-the-first-scale",
        find="        self.current = init_scale\n",
        replace="        self.current = init_scale\n        self._first = init_scale\n",
        also=((DIVIDE, "grad.div_(self._first)"),),
        says="You divide by init_scale whatever the scale is by now. Divide by the present one, with which "
        "the loss was multiplied.",
    ),
    Mistake(
        "divided-twice",
        find=DIVIDE,
        replace="grad.div_(self.current).div_(self.current)",
        says="You divide the gradients by the scale twice. The loss was multiplied once.",
    ),
    Mistake(
        "learning-rate-divided-for-the-gradients",
        find=f"        for grad in grads:\n            {DIVIDE}\n        optimizer.step()\n",
        replace="""\
        for group in optimizer.param_groups:
            group["lr"] /= self.current
        optimizer.step()
""",
        says="You divide the learning rate by the scale and leave the gradients as they are (and the "
        "learning rate as it is then). It is the gradients that are divided: "
        "an optimizer may use them in other ways.",
    ),
    Mistake(
        "gradients-clamped-instead-of-skipped",
        find="        # An inf stays inf when it is divided, so it does not matter when one looks.\n",
        replace="        for grad in grads:\n            torch.nan_to_num_(grad)\n",
        says="You replace NaN and inf by finite numbers (nan_to_num) and step with them. A step whose "
        "gradients overflowed is skipped, and the scale backs off.",
    ),
    Mistake(
        "missing-gradients-looked-at",
        find="            if param.grad is not None\n",
        replace="",
        says="You take it for granted that every parameter has a gradient. Pass over those whose .grad is "
        "None.",
    ),
    Mistake(
        "missing-gradients-become-zeros",
        find="        grads = [\n",
        replace="""\
        for group in optimizer.param_groups:
            for param in group["params"]:
                param.grad = torch.zeros_like(param) if param.grad is None else param.grad
        grads = [
""",
        says="Where a gradient is None you put zeros. The optimizer leaves a parameter without a gradient "
        "alone; with zeros, weight decay and momentum move it. None stays None.",
    ),
    Mistake(
        "divided-in-a-copy",
        find=DIVIDE,
        replace="grad.reshape(-1).div_(self.current)",
        says="Gradients that are not contiguous (of a transposed weight, for example) stay undivided: you "
        "divide a copy. reshape, flatten and contiguous give a view where they can, and a copy where they "
        "cannot. Divide the gradient itself, in its own shape.",
    ),
    Mistake(
        "divided-in-a-flat-view",
        find=DIVIDE,
        replace="grad.view(-1).div_(self.current)",
        says="Your step fails for gradients that are not contiguous (of a transposed weight, for example): "
        "view(-1) wants them contiguous. Divide the gradient itself, in its own shape.",
    ),
    Mistake(
        "stepped-twice",
        find="        optimizer.step()\n",
        replace="        optimizer.step()\n        optimizer.step()\n",
        says="You call the optimizer's step() twice. Once is asked for.",
    ),
    Mistake(
        "answer-turned-round",
        find="            return False\n",
        replace="            return True\n",
        also=(
            (
                "        optimizer.step()\n        return True",
                "        optimizer.step()\n        return False",
            ),
        ),
        says="Your step says whether it was skipped. It is whether it was made: True for a step, False for a "
        "skipped one.",
    ),
    Mistake(
        "factors-exchanged",
        find=GROW,
        replace="self.current *= self.backoff_factor",
        also=(
            (
                "self.current *= self.backoff_factor\n            self",
                "self.current *= self.growth_factor\n            self",
            ),
        ),
        says="You exchange the two factors: growth_factor is for growth_interval good updates in a row, "
        "backoff_factor for a skipped step.",
    ),
    Mistake(
        "growth-factor-added",
        find=GROW,
        replace="self.current += self.growth_factor",
        says="You add growth_factor to the scale. It is multiplied by it.",
    ),
    Mistake(
        "doubled-whatever-the-factor",
        find=GROW,
        replace="self.current *= 2.0",
        says="Your scale grows by 2 whatever growth_factor is. That is its default only.",
    ),
    Mistake(
        "halved-whatever-the-factor",
        find="self.current *= self.backoff_factor",
        replace="self.current *= 0.5",
        says="Your scale is halved whatever backoff_factor is. That is its default only.",
    ),
    Mistake(
        "grows-too-early",
        find=GROWN,
        replace="self._good_updates >= self.growth_interval - 1",
        says="Your scale grows too early: with every good update, for example, or one before it is time. The "
        "growth_interval-th in a row is the one.",
    ),
    Mistake(
        "never-grows-again",
        find="                self.current *= self.growth_factor\n                self._good_updates = 0\n",
        replace="                self.current *= self.growth_factor\n",
        says="Your scale grows once in a row and never again: you do not begin the row anew when it has "
        "grown, and its count is the interval only once. Set it back to 0.",
    ),
    Mistake(
        "scale-of-at-least-one",
        find="self.current *= self.backoff_factor",
        replace="self.current = max(1.0, self.current * self.backoff_factor)",
        says="Your scale never falls below 1. It may: the gradients may overflow with 1, too.",
    ),
    Mistake(
        "skip-unsaid",
        find="            return False\n",
        replace="            return True\n",
        says="Your step says that a step was made when it was skipped. True is for a step that was made, "
        "False for a skipped one.",
    ),
    Mistake(
        "starts-with-2-to-the-15th",
        find="init_scale: float = 65536.0",
        replace="init_scale: float = 32768.0",
        says="Your scale begins at 32768 if nothing is said. The default is 65536, 2 to the 16th.",
    ),
    Mistake(
        "interval-of-1000",
        find="growth_interval: int = 2000",
        replace="growth_interval: int = 1000",
        says="Your growth_interval is 1000 if nothing is said. The default is 2000.",
    ),
    Mistake(
        "scale-with-a-dimension",
        find="return loss * self.current",
        replace="return loss * torch.tensor([self.current], device=loss.device)",
        says="Your loss without dimensions comes back with one, as (1,): you multiply it by a tensor of that "
        "shape, for example. It keeps its own: multiply by a number.",
    ),
    Mistake(
        "scale-kept-as-a-tensor",
        find="        self.current = init_scale\n",
        replace="        self.current = torch.tensor(init_scale)\n",
        says="Your current is a tensor. It is a Python float, for others to read.",
    ),
    Mistake(
        "backed-off-at-the-second-skip",
        find="        if self._skipped:\n            self.current *= self.backoff_factor\n",
        replace="""\
        if self._skipped:
            self._is_second = not getattr(self, "_is_second", True)
            if self._is_second:
                self.current *= self.backoff_factor
""",
        says="After a skipped step your scale stays: only the second such update backs it off (a hysteresis "
        "of 2, for example). Here each update after a skipped step multiplies it by backoff_factor.",
    ),
    Mistake(
        "scale-capped",
        find=GROW,
        replace="self.current = min(self.current * self.growth_factor, 2.0**24)",
        says="Your scale grows up to a largest one only (2 ** 24, for example, as some libraries have it). "
        "Here growth always multiplies it by growth_factor.",
    ),
    Mistake(
        "gradients-checked-in-float32",
        find="grad.isfinite()",
        replace="grad.float().isfinite()",
        says="You skip the step for finite gradients in float64 that are beyond the range of float32 (they "
        "are cast to it before you look, or compared with its largest number, for example). Look at the "
        "gradients in their own dtype.",
    ),
    Mistake(
        "scale-as-a-power-of-two",
        find="import torch\n",
        replace="import math\n\nimport torch\n",
        also=(
            ("self.current = init_scale", "self.current = 2.0 ** math.floor(math.log2(init_scale))"),
            (
                "self.growth_factor = growth_factor",
                "self.growth_factor = 2.0 ** math.floor(math.log2(growth_factor))",
            ),
            (
                "self.backoff_factor = backoff_factor",
                "self.backoff_factor = 2.0 ** math.floor(math.log2(backoff_factor))",
            ),
        ),
        says="Your scale is always a power of two: init_scale and the factors are rounded down to one. "
        "These are any numbers: 1000 times 1.5 is 1500.",
    ),
]
