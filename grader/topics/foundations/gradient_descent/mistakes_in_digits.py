"""Known wrong versions of `gradient_descent` with float32: in the slope, or the start put into zeros, say."""

from grader.kit import Mistake

START = "    x, velocity = start, 0.0\n    points = [x]\n"
MOVE = "        x = x - learning_rate * velocity\n"

MISTAKES = [
    Mistake(
        "slope-in-float32",
        find="    return 2 * x + 1\n",
        replace="    import torch\n\n    return (2 * torch.tensor(x) + 1).item()\n",
        says="quadratic_gradient computes in float32, torch's default for a tensor made of a Python float, "
        "which has seven digits. Take Python's floats, 2 * x + 1, or dtype=torch.float64.",
    ),
    *(
        Mistake(
            f"float32-tensor-filled{ending}",
            find=START,
            # Unlike torch.tensor, which gives infinity, this refuses what is beyond float32.
            replace="    import torch\n\n    x, velocity = torch.full((), start).item(), 0.0\n"
            f"    points = [{first}]\n",
            also=((MOVE, "        x = torch.tensor(x - learning_rate * velocity).item()\n"),),
            says=f"{what} a float32 tensor, the default of torch.zeros, torch.empty and torch.full: it keeps "
            "seven digits, and raises for a number beyond float32's. Take Python's floats, or "
            "dtype=torch.float64.",
        )
        for ending, first, what in (
            ("", "x", "You put the points into"),
            ("-behind-the-start", "start", "Your list begins with start as it is, but you put it into"),
        )
    ),
    Mistake(
        "summed-by-fsum",
        find="        velocity = momentum * velocity + gradient(x)\n",
        replace="        velocity = math.fsum((momentum * velocity, gradient(x)))\n",
        also=(
            (MOVE, "        x = math.fsum((x, -learning_rate * velocity))\n"),
            ("from collections.abc import Callable\n", "import math\nfrom collections.abc import Callable\n"),
        ),
        says="You raise where the points run away: math.fsum refuses what is beyond the largest float, where "
        "+ gives infinity, and infinities of both signs. Each step is taken as it is: use +.",
    ),
]
