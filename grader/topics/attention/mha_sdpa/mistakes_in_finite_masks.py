"""Known wrong versions of `mha_sdpa` that add a finite number where a key is to be dropped."""

from grader.kit import Mistake

_BOOLEAN = "            mask = mask.bool()"

MISTAKES = [
    Mistake(
        f"added-number-not-low-enough-{id}",
        find=_BOOLEAN,
        replace=f"            mask = {added}",
        says=f"What you add to the scores of forbidden keys is {words}: too little, since they keep a "
        "large weight where their score is high. Only -inf makes the weight 0 whatever the score is. Hand "
        "over mask.bool() (or mask != 0): the built-in does it.",
    )
    for id, added, words in (
        *(
            (f"log-{number}", f"mask.to(x.dtype).clamp(min={number}).log()", f"the logarithm of {number}")
            for number in ("1e-6", "1e-8")
        ),
        *(
            (
                f"log-{number}",
                f"mask.to(x.dtype).clamp(min={number}).log()",
                f"a finite number (the logarithm of {number}, or -1000, for example)",
            )
            for number in ("1e-9", "1e-10")
        ),
        ("10", "(mask == 0).to(x.dtype) * -10.0", "-10"),
    )
]
