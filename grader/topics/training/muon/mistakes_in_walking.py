"""Known wrong versions of `muon` that walk over the parameters twice, which an iterator does not allow, or do
not reach all of them.
"""

from grader.kit import Mistake
from grader.kit.families.iterator_mistakes import states_of_a_used_up_iterator

MADE = "[torch.zeros_like(param) for param in self.params]"
LOOP = "for param, buffer in zip(self.params, self.buffers, strict=True):"
CHECK = """\
        if any(param.dim() != 2 for param in self.params):
            raise ValueError("Muon is for matrices: vectors and others need another optimizer")
"""

MISTAKES = [
    Mistake(
        "iterator-used-up",
        find="self.params = list(params)",
        replace="self.params = params",
        also=(
            (CHECK, ""),
            ("self.buffers = [torch.zeros_like(param) for param in self.params]", "self.buffers: dict = {}"),
            (
                "for param, buffer in zip(self.params, self.buffers, strict=True):",
                "for param in self.params:\n"
                "            buffer = self.buffers.setdefault(param, torch.zeros_like(param))",
            ),
        ),
        says="You keep params as it comes. model.parameters() is an iterator: once walked over, it is empty, "
        "and steps do nothing. Make a list of it.",
    ),
    Mistake(
        "iterator-used-up-by-the-check",
        find="        self.params = list(params)\n",
        replace="",
        also=(
            ("for param in self.params):\n", "for param in params):\n"),
            ("        self.lr = lr\n", "        self.params = list(params)\n        self.lr = lr\n"),
        ),
        says="You walk over params twice, first to check the dimensions, for example. An iterator is empty "
        "the second time, so nothing is trained. Make a list of it before anything else.",
    ),
    Mistake(
        "copies-updated",
        find="                param.mul_(1 - self.lr * self.weight_decay)\n",
        replace="""\
                param = param.data.reshape(-1).view(param.shape)
                param.mul_(1 - self.lr * self.weight_decay)
""",
        says="A parameter that is not contiguous never changes: you update what reshape(-1), flatten() or "
        "contiguous() gives, which is a copy for such a one. Update the parameter itself.",
    ),
    Mistake(
        "first-step-decides-what-is-trained",
        find=f"        {LOOP}\n            if param.grad is None:\n",
        replace=f"""\
        if not hasattr(self, "trained"):
            self.trained = {{id(param) for param in self.params if param.grad is not None}}
        {LOOP}
            if param.grad is None or id(param) not in self.trained:
""",
        says="A parameter that has no gradient in the first step is never trained: it is then that you "
        "decide which ones are. Gradients may come later (layers are unfrozen, branches not always taken):"
        " look at each parameter in every step, and let a buffer begin at zero when it is needed first.",
    ),
    # The first comes to what the check does that uses the iterator up.
    *states_of_a_used_up_iterator(MADE, LOOP, "buffer")[1:],
]
