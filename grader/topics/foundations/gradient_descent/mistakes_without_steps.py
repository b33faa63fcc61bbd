"""Known wrong versions of `gradient_descent` where steps is 0."""

from grader.kit import Mistake

_LOOP = "    for _ in range(steps):\n"

MISTAKES = [
    Mistake(
        "first-step-always-taken",
        find=_LOOP,
        replace="    for _ in range(max(steps, 1)):\n",
        says="With steps = 0 you take a step all the same: the first one stands before the loop, for "
        "example, or the loop asks for the end after its first turn. No steps give start alone, and gradient "
        "is not called.",
    ),
    Mistake(
        "gradient-asked-for-without-a-step",
        find=_LOOP,
        replace="    if steps == 0:\n        gradient(x)\n" + _LOOP,
        says="With steps = 0 you call gradient (at start, before the first step, for example). A gradient is "
        "costly: it is called once in every step and not otherwise, so without steps not at all.",
    ),
    Mistake(
        "no-points-without-a-step",
        find=_LOOP,
        replace="    if steps == 0:\n        return []\n" + _LOOP,
        says="With steps = 0 your list is empty. It has steps + 1 points: start alone.",
    ),
]
