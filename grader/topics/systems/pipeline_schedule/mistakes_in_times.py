"""Known wrong versions of when operations of `pipeline_schedule` begin and end, at the edges."""

from grader.kit import Mistake

ORDERS = "    return [forwards + backwards for _ in range(num_stages)]\n"
COOLDOWN = '        order += [("B", m) for m in range(num_microbatches - warmup, num_microbatches)]\n'
LOOP = "    while moved:\n        moved = False\n"
NEEDED = "                needed = _needed(stage, kind, m, len(orders))\n"
STUCK = """\
    if any(len(begun) < len(order) for begun, order in zip(starts, orders, strict=True)):
        raise ValueError("operations wait for each other for ever")
"""
START = "                start = max([free[stage], *(ends[each] for each in needed)])\n"
DURATION = '    duration = {"F": forward_time, "B": backward_time}\n'
STARTS = "    starts = start_times(orders, forward_time, backward_time)\n"
DEFAULTS = "forward_time: int = 1, backward_time: int = 2\n)"
BUBBLE = "    return 1 - busy / (len(orders) * end)\n"
KEPT = '            kept += 1 if kind == "F" else -1\n'

MISTAKES = [
    Mistake(
        "too-few-sweeps",
        find=LOOP,
        replace="    for _ in range(len(orders) + 1):\n",
        says="You go over the stages a fixed number of times and refuse what has not begun by then. Some "
        "orders that can run need more: go on as long as anything begins.",
    ),
    Mistake(
        "one-sweep-for-each-stage",
        find=LOOP,
        replace="    for _ in orders:\n",
        says="You go over the stages as often as there are stages, and refuse what has not begun by then. "
        "Some orders that can run need more rounds: go on as long as anything begins.",
    ),
    Mistake(
        "last-stage-but-one-waits-for-nobody",
        find="if stage + 1 < num_stages else [])",
        replace="if stage + 1 < num_stages - 1 else [])",
        says="The B of your last stage but one does not wait for that of the last stage. All but the last "
        "wait: stage + 1 < num_stages.",
    ),
    Mistake(
        "second-stage-waits-for-nobody",
        find="if stage > 0 else []\n",
        replace="if stage > 1 else []\n",
        says="The F of your second stage does not wait for that of the first. All but the first wait: "
        "stage > 0.",
    ),
    Mistake(
        "microbatches-counted",
        find=NEEDED,
        replace="                m = sum(before == kind for before, _ in order[: len(starts[stage])])\n"
        + NEEDED,
        says="You take the third F of a stage for that of microbatch 2, and so on. Orders may do the "
        "microbatches in any order: read the number.",
    ),
    Mistake(
        "cooldown-from-zero",
        find=COOLDOWN,
        replace='        order += [("B", m) for m in range(warmup)]\n',
        says="The rest of the B begins again at microbatch 0 in your one_f_one_b. It goes on where the turns "
        "ended, up to the last microbatch.",
    ),
    Mistake(
        "microbatches-from-one",
        find=ORDERS,
        replace="    later = [(kind, m + 1) for kind, m in forwards + backwards]\n"
        "    return [list(later) for _ in range(num_stages)]\n",
        says="The microbatches of your gpipe begin at 1. They are 0, 1, ….",
    ),
    Mistake(
        "deadlock-looked-up",
        find=STUCK,
        replace=STUCK.replace("ValueError", "KeyError"),
        says="Where operations wait for each other for ever your start_times raises a KeyError (it looks up "
        "an end that never comes, for example). Look whether anything can begin, and raise a ValueError "
        "where nothing can.",
    ),
    *(
        Mistake(
            f"deadlock-raises-{id_}",
            find=STUCK,
            replace=STUCK.replace("ValueError", kind),
            says=f"Where operations wait for each other for ever your start_times raises {said}. That is "
            "noticed, but it is to be a ValueError: the orders are wrong.",
        )
        for id_, kind, said in (
            ("a-runtime-error", "RuntimeError", "a RuntimeError"),
            ("a-bare-exception", "Exception", "an Exception of no kind"),
        )
    ),
    Mistake(
        "deadlock-recurses-for-ever",
        find=STUCK,
        replace=STUCK.replace("ValueError", "RecursionError"),
        says="Where operations wait for each other for ever your start_times calls itself until Python gives "
        "up with a RecursionError. Note what is being asked for already: meeting it again is the circle, "
        "which raises a ValueError.",
    ),
    Mistake(
        "deadlock-where-nothing-begins-alone",
        find=STUCK,
        replace="    if not any(starts):\n" + STUCK[STUCK.index("        raise") :],
        says="You raise where no operation can begin at all. Some may run before the others wait for ever: "
        "compare how many have begun with how many there are.",
    ),
    Mistake(
        "times-of-the-bubble-swapped",
        find=DURATION + STARTS,
        replace='    duration = {"B": forward_time, "F": backward_time}\n' + STARTS,
        says="In your bubble_fraction an F lasts backward_time and a B forward_time, though the start times "
        "are right. It is the other way round.",
    ),
    Mistake(
        "times-of-the-bubble-ignored",
        find=DURATION + STARTS,
        replace='    duration = {"F": 1, "B": 2}\n' + STARTS,
        says="Your bubble_fraction counts 1 for an F and 2 for a B, whatever is given, though the start "
        "times are right. These are only the defaults.",
    ),
    Mistake(
        "times-passed-on-swapped",
        find=STARTS,
        replace="    starts = start_times(orders, backward_time, forward_time)\n",
        says="Your bubble_fraction hands backward_time to start_times where it asks for forward_time, and "
        "the other way round.",
    ),
    Mistake(
        "backward-as-long-as-forward",
        find=DEFAULTS + " -> list",
        replace=DEFAULTS.replace("2", "1") + " -> list",
        says="By default a B of your start_times does not take 2 (but 1, for example). It takes 2, as there "
        "are two gradients to make.",
    ),
    Mistake(
        "backward-as-long-as-forward-in-the-bubble",
        find=DEFAULTS + " -> float",
        replace=DEFAULTS.replace("2", "1") + " -> float",
        says="By default a B of your bubble_fraction does not take 2 (but 1, for example), as it does in "
        "start_times.",
    ),
    Mistake(
        "end-of-the-last-stage",
        find="            end = max(end, start + duration[kind])\n",
        replace="            end = start + duration[kind]\n",
        says="Your end is that of the last stage. The last B of all is in the first one: take the largest "
        "over all stages.",
    ),
    Mistake(
        "bubble-in-percent",
        find=BUBBLE,
        replace=BUBBLE.replace("1 - busy / (len(orders) * end)", "100 * (1 - busy / (len(orders) * end))"),
        says="Your bubble is in percent. It is a part of 1.",
    ),
    Mistake(
        "bubble-rounded",
        find=BUBBLE,
        replace=BUBBLE.replace("1 - busy / (len(orders) * end)", "round(1 - busy / (len(orders) * end), 2)"),
        says="You round the bubble, to two digits for example. Give it as it is.",
    ),
    Mistake(
        "deadlock-passed-over-in-the-bubble-too",
        find=STUCK,
        replace="    for begun, order in zip(starts, orders, strict=True):\n"
        "        begun += [-1] * (len(order) - len(begun))\n",
        says="Where operations wait for each other for ever neither start_times nor bubble_fraction raises: "
        "what never begins has some number as its start, -1 for example. Raise a ValueError.",
    ),
    Mistake(
        "next-stages-backward-as-long-as-a-forward",
        find=START,
        replace="                ended = [ends[each] - duration[each[1]] + forward_time for each in needed]\n"
        "                start = max([free[stage], *ended])\n",
        says="Your B waits for the next stage's B only until forward_time after it began. That B takes "
        "backward_time.",
    ),
    Mistake(
        "waits-for-others-as-long-as-for-itself",
        find=START,
        replace="                begun = [ends[each] - duration[each[1]] for each in needed]\n"
        "                start = max([free[stage], *(each + duration[kind] for each in begun)])\n",
        says="You take the end of what an operation waits for with that operation's own duration: a B then "
        "waits for its stage's F until backward_time after the F began. An F takes forward_time.",
    ),
    Mistake(
        "operation-before-as-long-as-the-next",
        find=START,
        replace="                before = starts[stage][-1] + duration[kind] if starts[stage] else 0\n"
        "                start = max([before, *(ends[each] for each in needed)])\n",
        says="In its own stage an operation of yours waits for the one before as if that took as long as it "
        "does itself: an F behind a B only forward_time. What counts is how long the one before takes.",
    ),
    Mistake(
        "previous-stages-forward-as-long-as-a-backward",
        find=START,
        replace='                longer = (backward_time - forward_time) * (kind == "F")\n'
        "                start = max([free[stage], *(ends[each] + longer for each in needed)])\n",
        says="Your F waits for the previous stage's F until backward_time after it began. That F takes "
        "forward_time.",
    ),
    Mistake(
        "waits-for-nobody",
        find="start = max([free[stage], *(ends[each] for each in needed)])",
        replace="start = free[stage]",
        says="Your operations begin as soon as their stage is free. They also wait for the ends of what they "
        "need in the stage before or behind.",
    ),
    Mistake(
        "stages-not-counted",
        find="return 1 - busy / (len(orders) * end)",
        replace="return 1 - busy / end",
        says="You divide the time in which all stages are busy by the time of one. Each stage has that time: "
        "stages * end.",
    ),
    Mistake(
        "kept-at-the-end",
        find="        peaks.append(peak)",
        replace="        peaks.append(kept)",
        says="Your peak is what a stage keeps at the end, which is nothing: every B has been done. Look "
        "after each operation, and take the most.",
    ),
    Mistake(
        "peak-from-the-newest-numbers",
        find="        kept = peak = 0\n",
        replace='        peak, newest = 0, {"F": -1, "B": -1}\n',
        also=(
            ("        for kind, _ in order:\n", "        for kind, m in order:\n"),
            (KEPT, '            newest[kind] = m\n            kept = newest["F"] - newest["B"]\n'),
        ),
        says="Your peaks are right while F and B both go from 0 up, but can be wrong in other orders. "
        "You take the number of the newest F (or the highest) less that of the newest B, for example. Count "
        "instead: one more with each F, one fewer with each B, whichever microbatch it is.",
    ),
    Mistake(
        "peak-counts-beginnings-first",
        find="    for order in orders:\n        kept = peak = 0\n",
        replace="    for order, begun in zip(orders, start_times(orders), strict=True):\n"
        "        kept = peak = 0\n",
        also=(
            (
                "        for kind, _ in order:\n",
                """\
        changes = sorted(
            (start + 2 * (kind == "B"), kind == "B")
            for (kind, _), start in zip(order, begun, strict=True)
        )
        for _, is_end in changes:
""",
            ),
            (KEPT, "            kept += -1 if is_end else 1\n"),
        ),
        says="You go by times, and count an F that begins at a time before a B that ends then: a stage "
        "that goes from a B straight to an F keeps one too many for you. What ends is no longer kept when "
        "the next begins: take it off first. (A stage's order alone tells as well, without any times.)",
    ),
    Mistake(
        "times-kept-by-the-list",
        find='    duration = {"F": forward_time, "B": backward_time}\n    ends:',
        replace="""\
    for own, times, begun in _kept:
        if own is orders and times == (forward_time, backward_time):
            return begun
    duration = {"F": forward_time, "B": backward_time}
    ends:""",
        also=(
            ("def start_times(", "_kept: list = []\n\n\ndef start_times("),
            (
                "    return starts\n",
                "    _kept.append((orders, (forward_time, backward_time), starts))\n    return starts\n",
            ),
        ),
        says="You keep start times by the list `orders` itself, and find them again where it is the same "
        "list: a caller that fills it with another schedule, in place, gets those of the old one. Keep "
        "nothing, or keep it by what the list holds (as tuples).",
    ),
]
