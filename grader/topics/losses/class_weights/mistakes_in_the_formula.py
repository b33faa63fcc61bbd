"""Known wrong versions of `class_weights` by what they count and by what they divide."""

from grader.kit import Mistake

COUNTS = "    counts = torch.bincount(labels, minlength=num_classes)  # (num_classes,)\n"
WEIGHTS = "weights = weights * labels.numel() / num_classes"
RESULT = "    return weights.masked_fill(counts == 0, 0)"
RUNS = """\
    classes, runs = labels.unique_consecutive(return_counts=True)
    counts = torch.zeros(num_classes, dtype=torch.int64, device=labels.device)
"""

MISTAKES = [
    Mistake(
        "multiplied-by-the-count",
        find=WEIGHTS,
        replace="weights = labels.numel() / num_classes * counts",
        says="Your balanced weights are multiplied by the count, so that frequent classes weigh most. It "
        "divides: n / (num_classes * count). Without the parentheses Python reads from the left, (n / "
        "num_classes) * count.",
    ),
    Mistake(
        "ends-at-the-first-absent-class",
        find=RESULT,
        replace="    return weights.masked_fill((counts == 0).cumsum(dim=0) > 0, 0)",
        says="You end at the first class that does not occur: all classes behind it get 0 too (break for "
        "continue, for example). Only absent classes get 0.",
    ),
    Mistake(
        "divided-by-the-largest-label-and-one",
        find=WEIGHTS,
        replace="weights = weights * labels.numel() / (int(labels.max()) + 1)",
        says="You divide by the number of classes up to the largest label (the length of what bincount gives "
        "without minlength, for example). Balanced is n / (num_classes * count), with num_classes as it is "
        "given, also where the last classes do not occur.",
    ),
    *(
        Mistake(
            f"balanced-normalized-to-{id}",
            find=RESULT,
            replace=f"""\
    weights = weights.masked_fill(counts == 0, 0)
    return {scaled} if method == "balanced" else weights""",
            says=f"You scale the balanced weights so that their {what} is 1. They are not normalized: "
            "balanced is n / (num_classes * count). Where all classes occur, it is the mean over the labels "
            "that is 1, not that over the classes.",
        )
        for id, scaled, what in (
            ("num-classes", "weights / weights.sum() * num_classes", "mean over the classes"),
            ("one", "weights / weights.sum()", "sum over the classes"),
        )
    ),
    Mistake(
        "balanced-normalized-over-the-classes-that-occur",
        find=RESULT,
        replace="""\
    weights = weights.masked_fill(counts == 0, 0)
    return weights / weights.sum() * (counts > 0).sum() if method == "balanced" else weights""",
        says="You scale the balanced weights so that their mean over the classes that occur is 1. They are "
        "not normalized: balanced is n / (num_classes * count), whatever the weights sum to.",
    ),
    *(
        Mistake(
            f"one-run-counted-{id}",
            find=COUNTS,
            replace=RUNS + put,
            says="You count runs of equal labels (with unique_consecutive, or where neighbours differ), and "
            "of a class that stands in several runs one run alone is left. Count all labels of a class, "
            "wherever they stand: sort them first, or use bincount.",
        )
        for id, put in (
            (
                "last",
                "    for number, run in zip(classes.tolist(), runs.tolist()):\n"
                "        counts[number] = run\n",
            ),
            ("longest", "    counts.scatter_reduce_(0, classes.long(), runs, 'amax')\n"),
        )
    ),
    Mistake(
        "counted-in-int16",
        find=COUNTS,
        replace="    counts = torch.bincount(labels, minlength=num_classes).to(torch.int16)\n",
        says="You count in int16, at least where the labels are of a small dtype. It wraps around after "
        "32,767, and a class may have more labels than that: count in int64 or in floating point.",
    ),
    Mistake(
        "absent-classes-counted-in-n",
        find=WEIGHTS,
        replace="weights = weights * counts.clamp(min=1).sum() / num_classes",
        says="Your n is larger than the number of labels where classes do not occur: it is the sum of counts "
        "in which each of these has been set to 1, so as not to divide by 0, for example. n is the number of "
        "all labels: labels.numel().",
    ),
    Mistake(
        "n-with-one-for-each-class",
        find=WEIGHTS,
        replace="weights = weights * (labels.numel() + num_classes) / num_classes",
        says="Your n is num_classes too large: it is the sum of counts to each of which 1 has been added, "
        "say. n is the number of all labels: labels.numel().",
    ),
    *(
        Mistake(
            f"{method}-weights-on-the-default-device",
            find=RESULT,
            replace=f"""\
    weights = weights.masked_fill(counts == 0, 0)
    return torch.tensor(weights.tolist()) if method == "{method}" else weights""",
            says=f"You make the {method} weights on the default device, which is the CPU for most people "
            "also if the labels are on a GPU. Pass device=labels.device.",
        )
        for method in ("balanced", "inverse")
    ),
]
