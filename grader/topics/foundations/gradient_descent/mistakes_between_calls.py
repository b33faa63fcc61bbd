"""Known wrong versions of `gradient_descent` whose velocity is lost on the way, or another call's."""

from grader.kit import Mistake

_VELOCITY = "        velocity = momentum * velocity + gradient(x)\n"

MISTAKES = [
    Mistake(
        "one-velocity-for-all-calls",
        find="x, velocity = start, 0.0",
        replace="x, gradient_descent.velocity = start, 0.0",
        also=(
            (
                _VELOCITY,
                "        slope = gradient(x)\n"
                "        velocity = momentum * gradient_descent.velocity + slope\n"
                "        gradient_descent.velocity = velocity\n",
            ),
        ),
        says="The velocity stands in one place for all calls (a global, an optimizer of the module, say). A "
        "gradient that itself runs gradient_descent changes it in the middle of a step. Keep it in a local "
        "variable.",
    ),
    *(
        Mistake(
            f"velocity-lost-behind-blocks-of-{size}",
            find=_VELOCITY,
            replace=f"        if len(points) == steps // {size} * {size} + 1:\n"
            f"            velocity = 0.0\n{_VELOCITY}",
            says=f"You take the steps in blocks of {size}, and those left over at the end begin without "
            "velocity. Hand it on from block to block, as the point.",
        )
        for size in (2, 3, 4, 5, 8, 10, 16, 32, 64)
    ),
]
