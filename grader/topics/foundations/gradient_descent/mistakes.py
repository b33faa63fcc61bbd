"""Known wrong versions of `gradient_descent`."""

from grader.kit import Mistake

SLOPE = "    return 2 * x + 1\n"
VELOCITY = "        velocity = momentum * velocity + gradient(x)\n"
MOVE = "        x = x - learning_rate * velocity\n"
LOOP = "    for _ in range(steps):\n"
APPEND = "        points.append(x)\n"
COMMENT = """\
        # A sum over the past: where all gradients point the same way it grows to 1 / (1 - momentum) of them.
"""

MISTAKES = [
    Mistake(
        "function-instead-of-its-slope",
        find=SLOPE,
        replace="    return x**2 + x + 1\n",
        says="quadratic_gradient gives the value of x² + x + 1. Its derivative is asked for: 2x + 1.",
    ),
    Mistake(
        "linear-term-forgotten",
        find=SLOPE,
        replace="    return 2 * x\n",
        says="quadratic_gradient gives 2x, the derivative of x² alone. The term x adds 1: 2x + 1.",
    ),
    Mistake(
        "factor-two-forgotten",
        find=SLOPE,
        replace="    return x + 1\n",
        says="quadratic_gradient gives x + 1. The derivative of x² is 2x, so it is 2x + 1.",
    ),
    Mistake(
        "constant-kept",
        find=SLOPE,
        replace="    return 2 * x + 2\n",
        says="quadratic_gradient gives 2x + 2: the constant 1 of x² + x + 1 has no slope. It is 2x + 1.",
    ),
    *(
        Mistake(
            f"forward-difference-{h}",
            find=SLOPE,
            replace=f"    return (((x + {h}) ** 2 + (x + {h}) + 1) - (x**2 + x + 1)) / {h}\n",
            says=f"quadratic_gradient is a forward difference, (f(x + h) - f(x)) / h, with h = {h}: for x² "
            "it is too large by h, beside what rounding loses. Write the derivative down: 2x + 1.",
        )
        for h in ("1e-3", "1e-4", "1e-5", "1e-6")
    ),
    Mistake(
        "momentum-by-default",
        find="momentum: float = 0.0",
        replace="momentum: float = 0.9",
        says="Your momentum is 0.9 by default. It is 0, as in torch.optim.SGD: plain gradient descent.",
    ),
    Mistake(
        "own-function-only",
        find="gradient(x)\n        x =",
        replace="quadratic_gradient(x)\n        x =",
        says="You descend along x² + x + 1 whatever is passed. The function to follow is the argument "
        "gradient: call that.",
    ),
    Mistake(
        "uphill",
        find=MOVE,
        replace="        x = x + learning_rate * velocity\n",
        says="You add the step, so you climb. The gradient points to where the function rises: subtract it.",
    ),
    Mistake(
        "start-left-out",
        find="    points = [x]\n",
        replace="    points = []\n",
        says="Your list lacks the start: it has the points behind the steps only. The first of the steps + 1 "
        "points is start.",
    ),
    Mistake(
        "last-point-left-out",
        find=APPEND,
        replace="",
        also=(("    points = [x]\n", "    points = []\n"), (LOOP, LOOP + APPEND)),
        says="You note each point before the step from it, so the last step's end is missing. There are "
        "steps + 1 points: note the start once, then every point that a step leads to.",
    ),
    Mistake(
        "one-step-too-few",
        find=LOOP,
        replace="    for _ in range(steps - 1):\n",
        says="You take steps - 1 steps. There are steps of them, so steps + 1 points.",
    ),
    Mistake(
        "one-step-too-many",
        find=LOOP,
        replace="    for _ in range(steps + 1):\n",
        says="You take steps + 1 steps. There are steps of them; the list has one point more, the start.",
    ),
    Mistake(
        "last-point-only",
        find="    return points\n",
        replace="    return points[-1]\n",
        says="You give the last point only. All the points are asked for, from start on, as a list.",
    ),
    Mistake(
        "gradient-at-the-start-only",
        find=LOOP + COMMENT + VELOCITY,
        replace="    slope = gradient(start)\n" + LOOP + "        velocity = momentum * velocity + slope\n",
        says="You compute the gradient once, at the start, and go on with it. The slope changes on the way: "
        "ask for it in every step, at the present point.",
    ),
    Mistake(
        "gradient-always-of-the-start",
        find=VELOCITY,
        replace="        velocity = momentum * velocity + gradient(start)\n",
        says="You ask for the gradient at start in every step. It is the gradient at the present point, x.",
    ),
    Mistake(
        "gradient-asked-for-twice",
        find=VELOCITY,
        replace="        gradient(x)\n" + VELOCITY,
        says="You call gradient twice in a step, perhaps for a test or a print. A gradient is costly, and "
        "over random batches different each time: call it once and keep the value.",
    ),
    Mistake(
        "gradient-asked-for-at-the-end",
        find="    return points\n",
        replace="    gradient(x)\n    return points\n",
        says="You call gradient once more than there are steps, at the last point. No step starts there: the "
        "calls are as many as the steps.",
    ),
    Mistake(
        "momentum-ignored",
        find=VELOCITY,
        replace="        velocity = gradient(x)\n",
        says="Your momentum does nothing: the velocity is the gradient of this step alone, or starts from 0 "
        "in every step. Keep it from step to step: velocity = momentum * velocity + gradient.",
    ),
    Mistake(
        "running-average",
        find=VELOCITY,
        replace="        velocity = momentum * velocity + (1 - momentum) * gradient(x)\n",
        says="You take a running average: the gradient comes in with 1 - momentum, as in Adam. Here, as in "
        "torch.optim.SGD, it comes in whole (dampening 0), so the steps become up to 1 / (1 - momentum) "
        "times as long.",
    ),
    Mistake(
        "running-average-from-the-first-gradient",
        find=VELOCITY,
        replace="        slope = gradient(x)\n        is_first = len(points) == 1\n"
        "        velocity = slope if is_first else momentum * velocity + (1 - momentum) * slope\n",
        says="From the second step on your gradient comes in with 1 - momentum (a dampening). Here it comes "
        "in whole, in every step: velocity = momentum * velocity + gradient.",
    ),
    Mistake(
        "nesterov",
        find=MOVE,
        replace="        x = x - learning_rate * (slope + momentum * velocity)\n",
        also=((VELOCITY, "        slope = gradient(x)\n        velocity = momentum * velocity + slope\n"),),
        says="You take Nesterov's step, gradient + momentum * velocity. Here the point moves by the velocity "
        "itself: x - learning_rate * velocity.",
    ),
    Mistake(
        "nesterov-ahead",
        find=VELOCITY,
        replace="        ahead = x - learning_rate * momentum * velocity\n"
        "        velocity = momentum * velocity + gradient(ahead)\n",
        says="You ask for the gradient ahead, where momentum alone would lead: that is Nesterov's method. "
        "Here it is the gradient at the present point.",
    ),
    Mistake(
        "old-velocity",
        find=VELOCITY + MOVE,
        replace="        slope = gradient(x)\n" + MOVE + "        velocity = momentum * velocity + slope\n",
        says="You move before the velocity has this step's gradient, so every gradient acts a step late, "
        "and the first step stands still. The new velocity comes first, then the move.",
    ),
    Mistake(
        "velocity-starts-at-the-start",
        find="velocity = start, 0.0",
        replace="velocity = start, start",
        says="Your velocity begins with start. Nothing moves at first: it begins with 0.",
    ),
    Mistake(
        "momentum-of-the-wrong-sign",
        find=VELOCITY,
        replace="        velocity = gradient(x) - momentum * velocity\n",
        says="You subtract the old velocity, so each step brakes the one before. It is added: momentum * "
        "velocity + gradient. (With a velocity that has the minus sign in itself, both signs change.)",
    ),
    Mistake(
        "momentum-times-the-point",
        find=VELOCITY,
        replace="        velocity = momentum * x + gradient(x)\n",
        says="Your momentum multiplies the point, which is a weight decay. It multiplies the velocity, the "
        "sum of the gradients before.",
    ),
    Mistake(
        "momentum-alone-is-scaled",
        find=VELOCITY + MOVE,
        replace="        slope = gradient(x)\n        x = x - learning_rate * slope - momentum * velocity\n"
        "        velocity = momentum * velocity + slope\n",
        says="Your learning rate scales the gradient but not the velocity beside it. Both are in the step: "
        "learning_rate * (momentum * velocity + gradient).",
    ),
    Mistake(
        "rate-twice",
        find=VELOCITY,
        replace="        velocity = momentum * velocity + learning_rate * gradient(x)\n",
        says="You multiply by the learning rate twice: in the velocity and in the move. Once, in either.",
    ),
    Mistake(
        "rate-left-out",
        find=MOVE,
        replace="        x = x - velocity\n",
        says="You leave the learning rate out: the point moves by -learning_rate * velocity.",
    ),
    Mistake(
        "rate-decays",
        find=MOVE,
        replace="        x = x - learning_rate / len(points) * velocity\n",
        says="Your learning rate falls with the number of the step. Here it stays as it is.",
    ),
    *(
        Mistake(
            f"stops-where-it-is-flat-{limit}",
            find=VELOCITY,
            replace=f"        slope = gradient(x)\n        if abs(slope) <= {limit}:\n            break\n"
            "        velocity = momentum * velocity + slope\n",
            says="You stop where the slope is 0 or small. The list has steps + 1 points whatever happens; "
            "and with momentum the point would roll on.",
        )
        for limit in ("0.0", "1e-6")
    ),
    Mistake(
        "gradient-clipped",
        find="momentum * velocity + gradient(x)",
        replace="momentum * velocity + max(-1.0, min(1.0, gradient(x)))",
        says="You clip the gradient to ±1. That is a remedy against exploding gradients, and not asked for: "
        "the steps are taken as they are.",
    ),
    Mistake(
        "sign-only",
        find="momentum * velocity + gradient(x)",
        replace="momentum * velocity + (lambda slope: (slope > 0) - (slope < 0))(gradient(x))",
        says="You use the sign of the gradient only (signSGD): every step is as long as the other. The step "
        "is proportional to the slope.",
    ),
    Mistake(
        "one-list-for-all-calls",
        find="    points = [x]\n",
        replace="    POINTS[:] = [x]\n    points = POINTS\n",
        also=(("def gradient_descent(", "POINTS = []\n\n\ndef gradient_descent("),),
        says="Every call fills the same list, so the points that an earlier call gave are gone. Make a new "
        "list in the function.",
    ),
    Mistake(
        "float32-tensors",
        find="    x, velocity = start, 0.0\n",
        replace="    import torch\n\n    def single(value):\n        return torch.tensor(value).item()\n\n"
        "    x, velocity = start, 0.0\n",
        also=((MOVE, "        x = single(x - learning_rate * velocity)\n"),),
        says="You compute in float32, torch's default for a tensor made of Python floats: seven digits. Take "
        "Python's floats, or dtype=torch.float64.",
    ),
    Mistake(
        "points-kept-in-float32",
        find="    return points\n",
        replace="    import torch\n\n    return torch.tensor(points).tolist()\n",
        says="You compute with Python's floats, but keep the points in a float32 tensor, torch's default, "
        "which rounds them to seven digits, the start too. Keep them in a list, or in "
        "dtype=torch.float64.",
    ),
    Mistake(
        "points-read-back-from-float32",
        find="    x, velocity = start, 0.0\n",
        replace="    import torch\n\n    def single(value):\n        return torch.tensor(value).item()\n\n"
        "    x, velocity = single(start), 0.0\n",
        also=((MOVE, "        x = single(x - learning_rate * velocity)\n"),),
        says="Your points go through float32 (an array or a tensor of seven digits), the start among them, "
        "so they are rounded at every step. Take Python's floats, or float64.",
    ),
    Mistake(
        "float32-from-the-start",
        find="    x, velocity = start, 0.0\n    points = [x]\n",
        replace="    import torch\n\n    def single(value):\n        return torch.tensor(value).item()\n\n"
        "    x, velocity = single(start), 0.0\n    points = [start]\n",
        also=((MOVE, "        x = single(x - learning_rate * velocity)\n"),),
        says="Your list begins with start as it is, but you compute in float32 from there on: torch's "
        "default for a tensor of Python floats has seven digits. Take Python's floats, or "
        "dtype=torch.float64.",
    ),
]
