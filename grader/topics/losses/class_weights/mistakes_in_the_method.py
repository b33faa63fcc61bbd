"""Known wrong versions of `class_weights` that take another word for a method, or look at it too late."""

from grader.kit import Mistake

UNKNOWN = """\
    if method not in ("balanced", "inverse"):
        raise ValueError(f"unknown method {method!r}")
"""
COUNTS = "    counts = torch.bincount(labels, minlength=num_classes)  # (num_classes,)\n"

MISTAKES = [
    Mistake(
        "part-of-a-word-accepted",
        find=UNKNOWN,
        replace="""\
    if method not in "balanced" and method != "inverse":
        raise ValueError(f"unknown method {method!r}")
""",
        also=(('if method == "balanced":', 'if method in "balanced":'),),
        says='You accept "" and "balance": they are parts of the word, so they are in "balanced", and '
        '("balanced") is the same string, no tuple, for example. Compare by ==, or look in a tuple of whole '
        'words: ("balanced",).',
    ),
    Mistake(
        "method-in-capitals-accepted",
        find=UNKNOWN,
        replace="    method = method.lower()\n" + UNKNOWN,
        says='You accept "Balanced" and "INVERSE": you compare without regard to capitals, for example. Any '
        "word but the two, as they are written, raises a ValueError.",
    ),
    Mistake(
        "equal-counts-give-ones",
        find=COUNTS,
        replace=COUNTS
        + """\
    if (counts == counts[0]).all():
        return torch.ones_like(counts, dtype=torch.get_default_dtype())
""",
        says="Where all classes are equally frequent you return ones, whatever the method is. That is right "
        'for "balanced", but "inverse" is 1 / count there too.',
    ),
]
