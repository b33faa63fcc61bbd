"""Known wrong versions of `adamw`: what the averages hold, and whose they are."""

from grader.kit import Mistake

CORRECTED = 'state["exp_avg"] / (1 - beta1 ** state["step"])'
CORRECTED_SQUARE = 'state["exp_avg_sq"] / (1 - beta2 ** state["step"])'
WITH_ITS_STATE = """\
        for param, state in zip(self.params, self.states, strict=True):
            if param.grad is None:
                continue
"""


def in_place(corrected: str) -> str:
    """The division of a running average itself."""
    return corrected.replace(" / (", ".div_(")


MISTAKES = [
    Mistake(
        "corrected-in-place",
        find=CORRECTED,
        replace=in_place(CORRECTED),
        also=((CORRECTED_SQUARE, in_place(CORRECTED_SQUARE)),),
        says="You keep the corrected averages as the running ones (a division in place does that), so from "
        "the second step on what was corrected before is corrected again. Put them into new tensors: the "
        "averages themselves go on uncorrected.",
    ),
    Mistake(
        "average-corrected-in-place",
        find=CORRECTED,
        replace=in_place(CORRECTED),
        says="You keep the corrected average of the gradient as the running one (a division in place does "
        "that), so from the second step on what was corrected before is corrected again. Put it into a new "
        "tensor: the average itself goes on uncorrected.",
    ),
    Mistake(
        "square-corrected-in-place",
        find=CORRECTED_SQUARE,
        replace=in_place(CORRECTED_SQUARE),
        says="You keep the corrected average of the squares as the running one (a division in place does "
        "that), so from the second step on what was corrected before is corrected again. Put it into a new "
        "tensor: the average itself goes on uncorrected.",
    ),
    Mistake(
        "averages-of-a-neighbour",
        find=WITH_ITS_STATE,
        replace="""\
        present = [param for param in self.params if param.grad is not None]
        for param, state in zip(present, self.states, strict=False):
""",
        says="Where a parameter has no gradient, those behind it work with the averages and the count of the "
        "parameters before them: yours go by the place among those that have one. Which averages belong to a "
        "parameter must not depend on the others' gradients.",
    ),
    Mistake(
        "offset-not-moved-past-a-skipped-parameter",
        find=WITH_ITS_STATE,
        replace="""\
        start = 0
        for param, state in zip(self.params, self.states, strict=True):
            if param.grad is None:
                continue
            own = slice(start, start := start + param.numel())
            if not state:
                state.update(step=0)
            state.update(exp_avg=self.averages[0, own].view(param.shape))
            state.update(exp_avg_sq=self.averages[1, own].view(param.shape))
""",
        also=(
            (
                "        self.states: list[dict] = [{} for _ in self.params]\n",
                """\
        self.states: list[dict] = [{} for _ in self.params]
        self.averages = torch.cat([param.detach().flatten() for param in self.params] * 2).view(2, -1) * 0
""",
            ),
        ),
        says="Where a parameter has no gradient, those behind it work with the averages of parameters before "
        "them, though with their own count: all averages lie in one tensor, for example, and the offset does "
        "not move on past one that is skipped. Move it on first.",
    ),
    Mistake(
        "square-corrected-behind-the-root",
        find=CORRECTED_SQUARE,
        replace='state["exp_avg_sq"] / (1 - beta2 ** state["step"]) ** 2',
        says="You take the root of the average of the squares first and divide by 1 - beta2**t behind it. "
        "The correction belongs under the root: sqrt(v / (1 - beta2**t)), or sqrt(v) / sqrt(1 - beta2**t). "
        "As it is, the first steps are far too short.",
    ),
    Mistake(
        "square-corrected-by-the-root",
        find=CORRECTED_SQUARE,
        replace='state["exp_avg_sq"] / (1 - beta2 ** state["step"]) ** 0.5',
        says="You divide the average of the squares by the root of 1 - beta2**t, and then take the root of "
        "the quotient. Under the root it is 1 - beta2**t itself: as it is, the first steps are too long.",
    ),
    Mistake(
        "square-corrected-by-the-first-beta",
        find=CORRECTED_SQUARE,
        replace='state["exp_avg_sq"] / (1 - beta1 ** state["step"])',
        says="You correct the average of the squares by 1 - beta1**t. It has its own beta: 1 - beta2**t. As "
        "it is, the first steps are far too long.",
    ),
]
