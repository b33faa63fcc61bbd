"""Known wrong versions of `pipeline_schedule`."""

from grader.kit import Mistake

TURNS = '            order += [("F", warmup + m), ("B", m)]\n'
COOLDOWN = '        order += [("B", m) for m in range(num_microbatches - warmup, num_microbatches)]\n'
START = "                start = max([free[stage], *(ends[each] for each in needed)])\n"
DURATION = '    duration = {"F": forward_time, "B": backward_time}\n'
ENDS = "    ends: dict[tuple[int, str, int], int] = {}\n"
STUCK = """\
    if any(len(begun) < len(order) for begun, order in zip(starts, orders, strict=True)):
        raise ValueError("operations wait for each other for ever")
"""
BEHIND = '([(stage + 1, "B", m)] if stage + 1 < num_stages else [])'
BUBBLE = "    return 1 - busy / (len(orders) * end)\n"
PEAKS = "    return peaks\n"

MISTAKES = [
    Mistake(
        "backward-first",
        find=TURNS,
        replace='            order += [("B", m), ("F", warmup + m)]\n',
        says="After the warm-up your stages do B before F. The last stage then begins with a B whose F is "
        "not done, and everybody waits for ever: each turn is F, then B.",
    ),
    Mistake(
        "backward-of-the-newest",
        find=TURNS,
        replace='            order += [("F", warmup + m), ("B", warmup + m)]\n',
        also=((COOLDOWN, '        order += [("B", m) for m in range(warmup)]\n'),),
        says="After an F you do B of the same microbatch, in every stage. That B has still to come back "
        "through all stages behind, and older ones wait: B goes from 0 up, as F does.",
    ),
    Mistake(
        "no-cooldown",
        find=COOLDOWN,
        replace="",
        says="Your one_f_one_b ends with the last F, and the microbatches of the warm-up never get their B. "
        "The rest of the B comes at the end.",
    ),
    Mistake(
        "gpipe-by-turns",
        find="    return [forwards + backwards for _ in range(num_stages)]\n",
        replace="    turns = [op for pair in zip(forwards, backwards) for op in pair]\n"
        "    return [list(turns) for _ in range(num_stages)]\n",
        says="Your gpipe does F and B of one microbatch before the next one's F. So only one stage works at "
        "a time: all F come first.",
    ),
    Mistake(
        "gpipe-backwards-reversed",
        find='[("B", m) for m in range(num_microbatches)]\n    return',
        replace='[("B", m) for m in reversed(range(num_microbatches))]\n    return',
        says="Your gpipe does the backwards from the last microbatch down. Here both F and B go from 0 up.",
    ),
    Mistake(
        "backward-waits-for-the-previous-stage",
        find=BEHIND,
        replace='([(stage - 1, "B", m)] if stage > 0 else [])',
        says="Your B waits for B in the previous stage. Gradients come from the loss, which is behind the "
        "last stage: B m waits for the next stage's B m.",
    ),
    Mistake(
        "backward-waits-for-no-stage",
        find=" + " + BEHIND,
        replace="",
        says="Your B waits for its own F only. It needs the gradient of what the stage sent on: B m waits "
        "for the next stage's B m as well.",
    ),
    Mistake(
        "forward-waits-for-no-stage",
        find='        return [(stage - 1, "F", m)] if stage > 0 else []\n',
        replace="        return []\n",
        says="Your F waits for nobody, so all stages begin at 0. Its input is the output of the previous "
        "stage's F of the same microbatch.",
    ),
    Mistake(
        "backward-before-its-forward",
        find='    return [(stage, "F", m)] + (',
        replace="    return (",
        also=(
            (
                "if stage + 1 < num_stages else [])",
                "if stage + 1 < num_stages else [])  # the order has F first",
            ),
        ),
        says="Your B does not wait for its own stage's F, so orders run in which the last stage does B "
        "before F. They can never run: raise a ValueError.",
    ),
    Mistake(
        "two-things-at-once",
        find=START,
        replace=START.replace("free[stage], ", "0, "),
        says="In your start times a stage does several things at once. An operation also waits for the end "
        "of the one before it in its own stage.",
    ),
    Mistake(
        "starts-where-the-last-one-started",
        find="                free[stage] = ends[stage, kind, m] = start + duration[kind]\n",
        replace="                free[stage] = start + duration[kind]\n"
        "                ends[stage, kind, m] = start\n",
        says="Your operations wait only until those of other stages have begun. What they need is there when"
        " these have ended: start + duration.",
    ),
    Mistake(
        "ends-given",
        find="                starts[stage].append(start)\n",
        replace="                starts[stage].append(start + duration[kind])\n",
        says="Your start_times gives when operations end. It is asked when they begin.",
    ),
    Mistake(
        "times-swapped",
        find=DURATION + ENDS,
        replace='    duration = {"B": forward_time, "F": backward_time}\n' + ENDS,
        says="Your F takes backward_time and your B forward_time. It is the other way round.",
    ),
    Mistake(
        "times-ignored",
        find=DURATION + ENDS,
        replace='    duration = {"F": 1, "B": 2}\n' + ENDS,
        says="Your start_times takes 1 for F and 2 for B, whatever is given. These are only the defaults of "
        "forward_time and backward_time.",
    ),
    Mistake(
        "times-not-passed-on",
        find="    starts = start_times(orders, forward_time, backward_time)\n",
        replace="    starts = start_times(orders)\n",
        says="Your bubble_fraction calls start_times without forward_time and backward_time, so the starts "
        "are those of the defaults.",
    ),
    Mistake(
        "bubble-over-busy",
        find=BUBBLE,
        replace="    return len(orders) * end / busy - 1\n",
        says="Your bubble is the idle time over the busy time, (S - 1) / M for both schedules. It is asked "
        "as part of the whole, 1 - busy / (stages * end).",
    ),
    Mistake(
        "bubble-is-utilization",
        find=BUBBLE,
        replace="    return busy / (len(orders) * end)\n",
        says="You give the part of the time in which the stages work. The bubble is the rest: 1 minus that.",
    ),
    Mistake(
        "end-is-the-last-start",
        find="            end = max(end, start + duration[kind])\n",
        replace="            end = max(end, start)\n",
        says="Your end is when the last operation begins. It ends its duration later, so your bubble is too "
        "small.",
    ),
    Mistake(
        "each-stage-to-its-own-end",
        find=BUBBLE,
        replace="    ends = [row[-1] + duration[order[-1][0]] for order, row in zip(orders, starts)]\n"
        "    return 1 - busy / sum(ends)\n",
        says="You count each stage's time up to its own last operation. A stage that is done waits for the "
        "others before the next batch: all of them take until the end of the last one.",
    ),
    Mistake(
        "each-stage-from-its-own-start",
        find=BUBBLE,
        replace="    last = [row[-1] + duration[order[-1][0]] for order, row in zip(orders, starts)]\n"
        "    return 1 - busy / sum(end - row[0] for end, row in zip(last, starts))\n",
        says="You count each stage's time from its first operation to its last. While the pipeline fills and"
        " empties it is idle too: the time of each is from 0 to the end of all.",
    ),
    Mistake(
        "deadlock-passed-over",
        find=STUCK,
        replace="",
        says="Where operations wait for each other for ever you give the start times of the others. Raise a "
        "ValueError.",
    ),
    Mistake(
        "deadlock-goes-on-for-ever",
        find="    while moved:\n        moved = False\n",
        replace="    while any(len(begun) < len(order) for begun, order in zip(starts, orders)):\n",
        says="Where operations wait for each other for ever your start_times loops for ever. If no stage can"
        " begin anything, nothing will change any more: raise a ValueError.",
    ),
    Mistake(
        "orders-emptied",
        find="            for kind, m in order[len(starts[stage]) :]:\n",
        replace="            while order:\n                kind, m = order[0]\n",
        also=(
            (
                "                starts[stage].append(start)\n",
                "                order.pop(0)\n                starts[stage].append(start)\n",
            ),
            (
                STUCK,
                '    if any(orders):\n        raise ValueError("operations wait for each other for ever")\n',
            ),
            (
                "start_times(orders, forward_time, backward_time)",
                "start_times([list(order) for order in orders], forward_time, backward_time)",
            ),
        ),
        says="Your start_times takes the operations out of the lists that it is given, which are empty "
        "afterwards. Count how far each stage is, or copy the lists.",
    ),
    Mistake(
        "all-forwards-kept",
        find='            kept += 1 if kind == "F" else -1\n',
        replace='            kept += 1 if kind == "F" else 0\n',
        says="You count every F and free nothing, so every peak is the number of microbatches. A "
        "microbatch's activations are free when its B has ended.",
    ),
    Mistake(
        "peak-of-the-worst-stage",
        find=PEAKS,
        replace="    return [max(peaks)] * len(orders)\n",
        says="You give the same peak for all stages, that of the worst. Each has its own.",
    ),
    Mistake(
        "peak-before-the-first-backward",
        find="            peak = max(peak, kept)\n",
        replace='            if kind == "B":\n                break\n            peak = kept\n',
        says="You count the forwards before a stage's first B. In other orders than these two it may keep "
        "more later on: follow the number through the whole order.",
    ),
    Mistake(
        "peak-after-the-backward",
        find='            kept += 1 if kind == "F" else -1\n            peak = max(peak, kept)\n',
        replace='            kept += 1 if kind == "F" else -1\n'
        '            if kind == "B":\n                peak = max(peak, kept)\n',
        says="You look at what is kept only after each B has ended, so the peak misses the microbatch that "
        "it freed. It is highest when an F begins.",
    ),
    Mistake(
        "bubble-by-the-formula",
        find=BUBBLE,
        replace="    m = len(orders[0]) // 2\n    return (len(orders) - 1) / (m + len(orders) - 1)\n",
        says="You give (S - 1) / (M + S - 1), which holds for GPipe and 1F1B. Other orders are idle longer "
        "or shorter: take it from the start times.",
    ),
    Mistake(
        "busy-of-one-stage",
        find=BUBBLE,
        replace="    return 1 - busy / len(orders) / (len(orders) * end)\n",
        says="You divide the busy time of one stage by the time of all. busy is summed over the stages.",
    ),
    Mistake(
        "peaks-by-the-formula",
        find=PEAKS,
        replace="    m = len(orders[0]) // 2\n"
        "    return [min(len(orders) - stage, m) for stage in range(len(orders))]\n",
        says="You give min(S - s, M) for any orders, which holds for 1F1B. Follow F and B through the order.",
    ),
    Mistake(
        "sending-takes-time",
        find=START,
        replace="                sent = [ends[each] + (each[0] != stage) for each in needed]\n"
        "                start = max([free[stage], *sent])\n",
        says="Your operations begin 1 after the other stage's end. Sending takes no time: they begin where "
        "it ends.",
    ),
    Mistake(
        "whatever-is-ready",
        find="            for kind, m in order[len(starts[stage]) :]:\n",
        replace="            for kind, m in [each for each in order if (stage, *each) not in ends]:\n",
        also=(
            (
                "                if not all(each in ends for each in needed):\n                    break\n",
                "                if not all(each in ends for each in needed):\n"
                "                    continue\n",
            ),
        ),
        says="Your stages pass over an operation that has to wait and do a later one. Each does its "
        "operations in the order given, waiting where it must.",
    ),
]
