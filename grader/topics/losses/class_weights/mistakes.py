"""Known wrong versions of `class_weights`."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "absent-class-infinite",
        find="weights.masked_fill(counts == 0, 0)",
        replace="weights",
        says="A class that does not occur gets the weight 1 / 0 = inf. Give it 0: inf would turn every sum "
        "over the classes into inf or NaN.",
    ),
    Mistake(
        "absent-class-counted-as-one",
        find="    counts = torch.bincount(labels, minlength=num_classes)",
        replace="    counts = torch.bincount(labels, minlength=num_classes).clamp(min=1)",
        says="You count an absent class as if it occurred once, so it gets the largest weight of all. It "
        "gets 0.",
    ),
    Mistake(
        "one-added-to-the-counts",
        find="    weights = 1 / counts",
        replace="    weights = 1 / (counts + 1)",
        says="You add 1 to every count, so as not to divide by 0, which makes all weights too small. Divide "
        "by the counts themselves, and set the weight to 0 where the count is 0.",
    ),
    Mistake(
        "one-added-to-every-count",
        find="    weights = 1 / counts",
        replace="    counts = counts + 1\n    weights = 1 / counts",
        says="You add 1 to every count (Laplace smoothing), which makes all weights too small and gives an "
        "absent class the largest of all. Divide by the counts themselves, and give an absent class 0.",
    ),
    Mistake(
        "every-class-counted-once",
        find="    counts = torch.bincount(labels, minlength=num_classes)",
        replace="    counts = torch.bincount(labels, minlength=num_classes).clamp(max=1)",
        says="Your counts are 1 for every class that occurs: count[labels] += 1 adds only once for an index "
        "that stands there several times. Use bincount, scatter_add_ or index_add_.",
    ),
    Mistake(
        "counts-filled-from-the-front",
        find="    counts = torch.bincount(labels, minlength=num_classes)",
        replace="""\
    counts = labels.unique(return_counts=True)[1]
    counts = torch.cat([counts, counts.new_zeros(num_classes - len(counts))])""",
        says="You write what you have of the classes that occur (their counts, or the weights made of them) "
        "to the front, one after the other: behind a class that does not occur they belong to the wrong "
        "classes. unique gives the classes too: put each at its place, result[classes.long()] = …, or use "
        "bincount with minlength=num_classes.",
    ),
    Mistake(
        "epsilon-in-the-denominator",
        find="    weights = 1 / counts",
        replace="    weights = 1 / (counts + 1e-6)",
        says="You add a small number to the counts, so as not to divide by 0: an absent class gets the "
        "weight 1e6, the largest of all. It gets 0.",
    ),
    Mistake(
        "small-number-added-to-every-count",
        find="    weights = 1 / counts",
        replace="    weights = 1 / (counts + 1e-3)",
        says="You add a small number to the counts, so as not to divide by 0, and every weight is a little "
        "too small. Divide by the counts themselves, and set the weight to 0 where the count is 0.",
    ),
    Mistake(
        "minlength-forgotten",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="torch.bincount(labels)",
        says="Your result ends with the largest label that occurs, so it is too short for the loss if the "
        "last classes are absent. bincount needs minlength=num_classes.",
    ),
    Mistake(
        "only-classes-that-occur",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="labels.unique(return_counts=True)[1]",
        says="You count with unique, which leaves out the classes that do not occur: the weights behind a "
        "gap belong to the wrong classes. Use bincount with minlength=num_classes, or put the counts "
        "at the places of their classes.",
    ),
    Mistake(
        "divided-by-the-classes-that-occur",
        find="weights * labels.numel() / num_classes",
        replace="weights * labels.numel() / (counts > 0).sum()",
        says="You divide by the number of classes that occur. Balanced is n / (num_classes * count), with "
        "num_classes as it is given.",
    ),
    Mistake(
        "balanced-without-num-classes",
        find="weights * labels.numel() / num_classes",
        replace="weights * labels.numel()",
        says="Your balanced weights are n / count. Divide by num_classes too: n / (num_classes * count), so "
        "that they are about 1.",
    ),
    Mistake(
        "balanced-without-n",
        find="weights * labels.numel() / num_classes",
        replace="weights / num_classes",
        says="Your balanced weights are 1 / (num_classes * count). The number of labels is missing: n / "
        "(num_classes * count), so that they are about 1.",
    ),
    Mistake(
        "normalized-to-one",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="    weights = weights.masked_fill(counts == 0, 0)\n    return weights / weights.sum()",
        says="You divide the weights by their sum. They are not normalized: n / (num_classes * count), or 1 "
        "/ count.",
    ),
    Mistake(
        "normalized-to-num-classes",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    weights = weights.masked_fill(counts == 0, 0)
    return weights / weights.sum() * num_classes""",
        says="You scale the weights so that their mean over the classes is 1. They are not normalized: n / "
        "(num_classes * count), or 1 / count.",
    ),
    Mistake(
        "inverse-normalized-to-one",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    weights = weights.masked_fill(counts == 0, 0)
    return weights / weights.sum() if method == "inverse" else weights""",
        says="You divide the inverse weights by their sum. They are not normalized: inverse is 1 / count.",
    ),
    Mistake(
        "inverse-normalized-to-num-classes",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    weights = weights.masked_fill(counts == 0, 0)
    return weights / weights.sum() * num_classes if method == "inverse" else weights""",
        says="You scale the inverse weights so that their mean over the classes is 1. They are not "
        "normalized: inverse is 1 / count.",
    ),
    Mistake(
        "frequencies",
        find="    weights = 1 / counts",
        replace="    weights = counts / labels.numel() ** 2",
        says="Your weights grow with the count, so frequent classes get the most. It is the rare ones that "
        "need it: divide by the count.",
    ),
    Mistake(
        "relative-to-the-most-frequent",
        find="    weights = 1 / counts",
        replace="    weights = counts.max() / counts",
        says="You divide the largest count by each count. inverse is 1 / count, and balanced n / "
        "(num_classes * count).",
    ),
    Mistake(
        "inverse-of-the-share",
        find="    weights = 1 / counts\n    if",
        replace="""\
    weights = 1 / counts
    if method == "inverse":
        weights = weights * labels.numel()
    if""",
        says="Your inverse weights are n / count, the inverse of the class's share. Here inverse is 1 / "
        "count.",
    ),
    Mistake(
        "method-ignored",
        find='if method == "balanced":',
        replace="if method:",
        says="Your weights are balanced whatever the method is. inverse is 1 / count.",
    ),
    Mistake(
        "int64-only",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="torch.nn.functional.one_hot(labels, num_classes).sum(dim=0)",
        says="one_hot (as scatter_add) takes indices of dtype int64 only, and labels are often uint8 or "
        "int32. Convert them with labels.long(), or use bincount.",
    ),
    Mistake(
        "counted-in-the-labels-dtype",
        find="torch.bincount(labels, minlength=num_classes)",
        replace="torch.bincount(labels, minlength=num_classes).to(labels.dtype)",
        says="You count in the dtype of the labels, and uint8 wraps around after 255 (int8 after 127). "
        "Count in int64 or in floating point.",
    ),
    Mistake(
        "float32-fixed",
        find="    weights = 1 / counts",
        replace="    weights = 1 / counts.float()",
        says="Your weights are float32 although the default dtype is another one at the time of the call. "
        "Use that one, as the model's parameters do: an integer tensor divided gives it, as does "
        "torch.get_default_dtype() if the function calls it, not the module when it is imported.",
    ),
    Mistake(
        "dtype-of-double",
        find="    weights = 1 / counts",
        replace="    weights = 1 / counts.double()",
        says="Your weights are always float64, and F.cross_entropy takes only weights of the logits' dtype. "
        "Use the default dtype, as the model's parameters do: an integer tensor divided gives it.",
    ),
    Mistake(
        "weights-on-the-default-device",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="    return torch.tensor(weights.masked_fill(counts == 0, 0).tolist())",
        says="You make the weights on the default device, which is the CPU for most people also if the "
        "labels are on a GPU. Pass device=labels.device.",
    ),
    Mistake(
        "places-on-the-default-device",
        find="    counts = torch.bincount(labels, minlength=num_classes)",
        replace="""\
    places = torch.arange(num_classes)
    counts = (labels[:, None] == places).sum(dim=0)""",
        says="You make a tensor on the default device that then meets the labels (the numbers of the "
        "classes, or zeros to count in, for example). With labels on a GPU that raises: pass "
        "device=labels.device.",
    ),
    Mistake(
        "unknown-method-accepted",
        find="""\
    if method not in ("balanced", "inverse"):
        raise ValueError(f"unknown method {method!r}")
""",
        replace="",
        says="You accept any word for method, so a misspelt one goes unnoticed. Raise a ValueError unless "
        'it is "balanced" or "inverse".',
    ),
    Mistake(
        "unknown-method-looked-up",
        find='raise ValueError(f"unknown method {method!r}")',
        replace="raise KeyError(method)",
        says="For an unknown method you raise a KeyError, from a look into a dict, say. It is to be a "
        "ValueError.",
    ),
    Mistake(
        "labels-sorted-in-place",
        find="counts = torch.bincount(labels, minlength=num_classes)",
        replace="counts = torch.bincount(labels.copy_(labels.sort().values), minlength=num_classes)",
        says="You sort the labels in place (with out=labels, or labels[:] = …), so they do not belong to "
        "their examples any more. labels.sort() makes a new tensor; to count, no order is needed.",
    ),
    Mistake(
        "absent-class-infinite-in-inverse",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    return weights.masked_fill(counts == 0, 0) if method == "balanced" else weights""",
        says="With balanced an absent class gets 0, but with inverse it gets 1 / 0 = inf. Give it 0 whatever "
        "the method is.",
    ),
    Mistake(
        "absent-class-infinite-in-balanced",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    return weights.masked_fill(counts == 0, 0) if method == "inverse" else weights""",
        says="With inverse an absent class gets 0, but with balanced it gets n / 0 = inf. Give it 0 whatever "
        "the method is.",
    ),
    Mistake(
        "absent-class-counted-as-one-in-inverse",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="""\
    return weights.masked_fill(counts == 0, 0 if method == "balanced" else 1)""",
        says="With balanced an absent class gets 0, but with inverse it gets 1, as if it occurred once. Give "
        "it 0 whatever the method is.",
    ),
    Mistake(
        "num-classes-from-the-labels",
        find="    counts = torch.bincount(labels, minlength=num_classes)  # (num_classes,)\n",
        replace="    num_classes = int(labels.max()) + 1\n    counts = torch.bincount(labels)\n",
        says="You count classes up to the largest label. There are num_classes of them, also where the last "
        "ones do not occur.",
    ),
    Mistake(
        "absent-classes-with-the-largest-number",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="    return torch.nan_to_num(weights)",
        says="A class that does not occur gets the largest number that there is: 1 / 0 is inf, and "
        "nan_to_num makes that of it unless posinf=0 is said. It gets 0.",
    ),
    Mistake(
        "absent-classes-with-the-largest-number-of-float64",
        find="    return weights.masked_fill(counts == 0, 0)",
        replace="    return torch.nan_to_num(weights.double()).to(weights.dtype)",
        says="1 / 0 is inf for a class that does not occur, and you make the largest float64 of it "
        "(nan_to_num without posinf=0), which is inf again in float32. It gets 0.",
    ),
    Mistake(
        "methods-swapped",
        find='    if method == "balanced":',
        replace='    if method == "inverse":',
        says="Your two methods have changed places. Inverse is 1 / count, and balanced, the default, is n / "
        "(num_classes * count).",
    ),
]
