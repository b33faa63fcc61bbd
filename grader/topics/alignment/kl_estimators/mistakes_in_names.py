"""Known wrong versions of `kl_estimators` that take other words for a kind."""

from grader.kit import Mistake

_DIFFERENCE = "    difference = log_probs - reference_log_probs\n"

MISTAKES = [
    Mistake(
        "kinds-in-capitals-accepted",
        find=_DIFFERENCE,
        replace=f"    kind = kind.lower()\n{_DIFFERENCE}",
        says='You accept the kinds in capitals, "K3" for example. They are "k1", "k2" and "k3" as they '
        "stand. Anything else raises a ValueError.",
    ),
    Mistake(
        "no-kind-is-the-default",
        find=_DIFFERENCE,
        replace=f'    kind = kind or "k3"\n{_DIFFERENCE}',
        says='You take an empty text for the default (as with `kind or "k3"`: "" is false in Python). It is '
        "none of the three kinds: raise a ValueError.",
    ),
    Mistake(
        "parts-of-a-kind-accepted",
        find=_DIFFERENCE,
        replace=f'    kind = kind if kind not in "k1, k2, k3" or len(kind) == 2 else "k3"\n{_DIFFERENCE}',
        says='You accept parts of the kinds: "" and "k" are `in` a string such as "k1, k2, k3". Ask whether '
        "the kind is in a tuple or a set, and raise a ValueError if not.",
    ),
]
