"""Known wrong versions of `yarn` that keep frequencies for calls with other arguments."""

from grader.kit import Mistake

RESULT = "keep * plain + (1 - keep) * plain / factor"

MISTAKES = [
    Mistake(
        "kept-whatever-the-betas-are",
        find="def yarn_frequencies(",
        replace="_KEPT = {}\n\n\ndef yarn_frequencies(",
        also=(
            (
                "    plain = linear_frequencies(head_dim, 1.0, base)\n",
                """\
    which = head_dim, factor, original_len, base, ramp
    if which in _KEPT:
        return _KEPT[which].clone()
    plain = linear_frequencies(head_dim, 1.0, base)
""",
            ),
            (f"    return {RESULT}", f"    _KEPT[which] = {RESULT}\n    return _KEPT[which].clone()"),
        ),
        says="You keep frequencies for a later call with the same arguments, but beta_fast and beta_slow are "
        "not among those that you compare: other betas get the first ones' frequencies. The key has to name "
        "everything that the result depends on.",
    ),
    Mistake(
        "kept-whatever-the-default-device-is",
        find="def yarn_frequencies(",
        replace="@lru_cache\ndef yarn_frequencies(",
        also=(("import math\n", "import math\nfrom functools import lru_cache\n"),),
        says="You keep frequencies for a later call (lru_cache, for example), and when the default device "
        "has changed since, they are still on the old one. Make them anew, or let the key name the device.",
    ),
    Mistake(
        "kept-frequencies-divided-in-place",
        find="def linear_frequencies(",
        replace="_PLAIN: dict = {}\n\n\ndef linear_frequencies(",
        also=(
            (
                "    return base**-exponents / factor\n",
                """\
    if factor == 1:  # as the other functions ask
        return base**-exponents
    plain = _PLAIN.setdefault((head_dim, base, exponents.device), base**-exponents)
    plain /= factor
    return plain.clone()
""",
            ),
        ),
        says="You keep the plain frequencies for later calls and divide them by factor in place, so a second "
        "call divides them once more. Make a new tensor: plain / factor.",
    ),
]
