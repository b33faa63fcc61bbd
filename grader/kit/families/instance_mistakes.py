"""Mistakes of modules that do not keep apart: what belongs to an instance stands where all share it."""

from grader.kit.mistakes import Mistake


def kept_on_the_class(
    line: str, what: str, *, kept: str | None = None, also: tuple[tuple[str, str], ...] = ()
) -> Mistake:
    """`line`: the one of the constructor that keeps something on self; `what`: words for that. `kept` is for
    its place where it is not the same line with another target, and `also` are more edits.
    """
    return Mistake(
        "kept-on-the-class",
        find=line,
        replace=line.replace("self.", "type(self).", 1) if kept is None else kept,
        also=also,
        says=f"Your instances share {what}: it is stored on the class (or in a global variable), so the one "
        "made last decides for all. A model holds many of them, made with different arguments: store it on "
        "self.",
    )
