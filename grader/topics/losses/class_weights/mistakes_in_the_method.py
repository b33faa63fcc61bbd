"""Known wrong versions of `class_weights` that take a part of a method's name for it."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        "part-of-a-word-accepted",
        find="""\
    if method not in ("balanced", "inverse"):
        raise ValueError(f"unknown method {method!r}")
""",
        replace="""\
    if method not in "balanced" and method != "inverse":
        raise ValueError(f"unknown method {method!r}")
""",
        also=(('if method == "balanced":', 'if method in "balanced":'),),
        says='An empty method is accepted: "" is a part of every word, so it is in "balanced", and '
        '("balanced") is the same string, no tuple, for example. Compare by ==, or look in a tuple of whole '
        'words: ("balanced",).',
    ),
]
