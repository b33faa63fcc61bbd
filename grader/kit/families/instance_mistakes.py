"""Mistakes of modules that do not keep apart: what belongs to an instance stands where all share it."""

from grader.kit.mistakes import Mistake


def kept_on_the_class(line: str, what: str) -> Mistake:
    """`line`: the one of the constructor that keeps something on self; `what`: words for that."""
    return Mistake(
        "kept-on-the-class",
        find=line,
        replace=line.replace("self.", "type(self).", 1),
        says=f"Your instances share {what}: it is stored on the class (or in a global variable), so the one "
        "made last decides for all. A model holds many of them, made with different arguments: store it on "
        "self.",
    )
