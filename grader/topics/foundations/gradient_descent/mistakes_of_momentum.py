"""Known wrong versions of `gradient_descent`: where the velocity comes from, and when it asks and stops."""

from grader.kit import Mistake

_VELOCITY = "        velocity = momentum * velocity + gradient(x)\n"
_MOVE = "        x = x - learning_rate * velocity\n"
_APPEND = "            points.append(moved)\n"

MISTAKES = [
    Mistake(
        "velocity-starts-as-the-gradient",
        find="velocity = start, 0.0",
        replace="velocity = start, gradient(start)",
        says="Your velocity begins with the gradient at start, which then counts twice (and is asked for "
        "twice). It begins with 0.",
    ),
    Mistake(
        "first-gradient-dampened",
        find=_VELOCITY,
        replace="        slope = gradient(x)\n        is_first = len(points) == 1\n"
        "        velocity = (1 - momentum) * slope if is_first else momentum * velocity + slope\n",
        says="Your first gradient comes in with 1 - momentum. Each comes in whole, the first too.",
    ),
    Mistake(
        "corrected-like-adam",
        find=_MOVE,
        replace="        x = x - learning_rate * velocity / (1 - momentum ** len(points))\n",
        says="You divide the velocity by 1 - momentum^t, Adam's correction for an average that starts at 0. "
        "Here it is a sum, which needs none.",
    ),
    *(
        Mistake(
            f"ahead-without-the-rate-{words}",
            find=_VELOCITY,
            replace=f"        velocity = momentum * velocity + gradient(x {sign} momentum * velocity)\n",
            says="You ask for the gradient ahead of the point, as Nesterov does (and leave out the learning "
            "rate there). Here it is the gradient at the present point.",
        )
        for words, sign in (("below", "-"), ("above", "+"))
    ),
    Mistake(
        "gradient-scaled-by-the-momentum",
        find=_VELOCITY,
        replace="        velocity = velocity + momentum * gradient(x)\n",
        says="Your momentum multiplies the gradient, and the velocity forgets nothing. It multiplies the "
        "old velocity: momentum * velocity + gradient.",
    ),
    Mistake(
        "last-gradient-only",
        find=_VELOCITY + _MOVE,
        replace="        slope = gradient(x)\n        x = x - learning_rate * (slope + momentum * velocity)\n"
        "        velocity = slope\n",
        says="You keep the last gradient instead of the velocity, so what is further back is forgotten at "
        "once. The velocity is the sum over all: momentum * velocity + gradient.",
    ),
    Mistake(
        "point-before-instead-of-the-move",
        find=_VELOCITY + _MOVE,
        replace="        x, velocity = x - learning_rate * gradient(x) + momentum * velocity, x\n",
        also=(("velocity = start, 0.0", "velocity = start, 0.0  # the point before"),),
        says="You add momentum times the last point. The heavy ball adds momentum times the last move, the "
        "difference of two points.",
    ),
    Mistake(
        "point-before-the-start-is-zero",
        find=_VELOCITY + _MOVE,
        replace="        x, before = x - learning_rate * gradient(x) + momentum * (x - before), x\n",
        also=(("velocity = start, 0.0", "before = start, 0.0"),),
        says="Your first move has momentum * start in it, as if there were a point 0 before the start: "
        "at first points[t - 2] reads the end of a list filled with zeros, for example. Nothing moves before "
        "the first step: the velocity is 0.",
    ),
    Mistake(
        "gradient-asked-for-after-the-step-too",
        find=_MOVE,
        replace=_MOVE + "        gradient(x)\n",
        says="You call gradient at the new point as well, perhaps to print it or to see whether to stop. It "
        "may be costly, or different each time: one call in every step.",
    ),
    *(
        Mistake(
            f"stops-where-the-point-stays-{limit}",
            find="        points.append(x)\n",
            replace=f"        points.append(x)\n        if abs(points[-1] - points[-2]) < {limit}:\n"
            "            break\n",
            says="You stop where the point has hardly moved. The list has steps + 1 points whatever "
            "happens, and a small move says little: momentum may be turning round.",
        )
        for limit in ("1e-6", "1e-10")
    ),
    *(
        Mistake(
            f"stays-where-it-is-flat-{limit}",
            find=_VELOCITY,
            replace=f"        slope = gradient(x)\n        if abs(slope) <= {limit}:\n"
            "            points += [x] * (steps + 1 - len(points))\n            break\n"
            "        velocity = momentum * velocity + slope\n",
            says="You stop where the slope is 0 or small, and repeat that point for the steps that are left. "
            "With momentum the point would roll on; and the gradient is asked for in every step.",
        )
        for limit in ("0.0", "1e-6")
    ),
    *(
        Mistake(
            f"no-step-where-it-is-flat-{limit}",
            find=_VELOCITY,
            replace=f"        slope = gradient(x)\n        if abs(slope) <= {limit}:\n"
            "            points.append(x)\n            continue\n"
            "        velocity = momentum * velocity + slope\n",
            says="You take no step where the slope is 0 or small: the point stays. With momentum it would "
            "roll on, by the velocity that it has; every step is taken.",
        )
        for limit in ("0.0", "1e-6")
    ),
    Mistake(
        "last-point-and-list",
        find="    return points\n",
        replace="    return x, points\n",
        says="You return the last point beside the list. Asked for is the list alone.",
    ),
    Mistake(
        "rounded-to-an-integer",
        find="    return 2 * x + 1\n",
        replace="    return int(2 * x + 1)\n",
        says="quadratic_gradient gives an integer. The slope is a float: 2x + 1, as it is.",
    ),
    Mistake(
        "velocity-kept-between-calls",
        find=_VELOCITY + _MOVE,
        replace="        velocity = KEPT[0] = momentum * velocity + gradient(x)\n" + _MOVE,
        also=(
            ("def gradient_descent(", "KEPT = [0.0]\n\n\ndef gradient_descent("),
            ("velocity = start, 0.0", "velocity = start, KEPT[0]"),
        ),
        says="Your velocity outlives the call (in the module, in an object made once or in a default), so "
        "a second call starts with what the first one left. It is 0 at first in every call: make it in the "
        "function.",
    ),
    Mistake(
        "points-of-earlier-calls-kept",
        find="    points = [x]\n",
        replace="    points = POINTS\n    points.append(x)\n",
        also=(("def gradient_descent(", "POINTS = []\n\n\ndef gradient_descent("),),
        says="Your list outlives the call (in the module, on a class or as a default argument, for example), "
        "so the points of earlier calls stand before those of this one. Make a new list in the function.",
    ),
    Mistake(
        "velocity-kept-for-a-function",
        find=_VELOCITY + _MOVE,
        replace="        velocity = KEPT[gradient] = momentum * velocity + gradient(x)\n" + _MOVE,
        also=(
            ("def gradient_descent(", "KEPT = {}\n\n\ndef gradient_descent("),
            ("velocity = start, 0.0", "velocity = start, KEPT.get(gradient, 0.0)"),
        ),
        says="You keep the velocity from one call to the next, together with the gradient function, so a "
        "second call with the same function starts with what the first one left. It starts at 0 in every "
        "call.",
    ),
    *(
        Mistake(
            f"ends-where-the-points-run-away{id}",
            find=_MOVE,
            replace=f"        moved = x - learning_rate * velocity\n        if {condition}:\n{end}"
            "            break\n        x = moved\n",
            says=f"You end where the points run away ({where}, for example), so some are missing. The list "
            "has steps + 1 points whatever happens: let infinity and NaN come as they are.",
        )
        for id, condition, end, where in (
            ("", "moved - moved != 0", "", "before the first that is not finite"),
            ("-to-infinity", "moved - moved != 0", _APPEND, "behind the first that is not finite"),
            ("-to-nan", "moved != moved", _APPEND, "behind the first NaN"),
        )
    ),
    Mistake(
        "stays-where-it-is-finite",
        find=_MOVE,
        replace="        moved = x - learning_rate * velocity\n"
        "        x = moved if moved - moved == 0 else x\n",
        says="Where the next point would run away (to infinity, for example) you stay where you are. Every "
        "step is to be taken as it is: let infinity and NaN come.",
    ),
    Mistake(
        "gradients-remembered",
        find=_VELOCITY,
        replace="        if x not in known:\n            known[x] = gradient(x)\n"
        "        velocity = momentum * velocity + known[x]\n",
        also=(("    points = [x]\n", "    points, known = [x], {}\n"),),
        says="You do not ask for the gradient again at a point where you have asked before (a cache, for "
        "example, or a test whether the point has moved). It may be different at each call, as over random "
        "batches: it is called once in every step.",
    ),
    Mistake(
        "divergence-raises",
        find=_MOVE,
        replace=_MOVE
        + """\
        if x in (float("inf"), float("-inf")) or x != x:
            raise OverflowError("the points run away")
""",
        says="You raise where the points run away to infinity. Every step is to be taken as it is.",
    ),
    Mistake(
        "difference-quotient",
        find="    return 2 * x + 1\n",
        replace="""\
    h = 1e-5
    return (((x + h) ** 2 + (x + h) + 1) - ((x - h) ** 2 + (x - h) + 1)) / (2 * h)
""",
        says="Your quadratic_gradient is a difference quotient: far from 0 the two values agree in most of "
        "their digits, and few are left for the slope. Take the derivative itself, 2x + 1.",
    ),
]
