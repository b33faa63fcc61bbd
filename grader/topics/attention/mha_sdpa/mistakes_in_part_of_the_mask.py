"""Known wrong versions of `mha_sdpa` that take a mask for a plain one by a part of it."""

from grader.kit import Mistake

_BOOLEAN = "            mask = mask.bool()\n"
_OF_HEADS = "mask.expand(-1, -1, seq, seq)"

MISTAKES = [
    *(
        Mistake(
            f"mask-taken-for-{kind}-by-{name}",
            find=_BOOLEAN,
            replace=f"""\
{_BOOLEAN}\
            part, plain = {part}, mask.new_ones(seq, seq){plain}
            if bool((part == {other}).all()):
                mask, is_causal = None, {is_causal}
""",
            says=f"To decide whether {decided}, you look at {words}, and the rest of the mask is lost where "
            "it says something else. Every sequence and every head may have a mask of its own: compare all "
            "of it, or hand it on as it is.",
        )
        for kind, plain, is_causal, decided in (
            ("causal", ".tril()", "True", "a mask is the causal one (and is_causal can stand for it)"),
            ("none", "", "is_causal", "a mask hides nothing (and may be left out)"),
        )
        for name, part, other, words in (
            ("a-part", f"{_OF_HEADS}[0, 0]", "plain", "a part of it alone (the first head or sequence)"),
            *(
                (
                    f"the-{side}-half",
                    f"{_OF_HEADS}.{triangle}",
                    f"plain.{triangle}",
                    f"the {side} half of the mask alone",
                )
                for side, triangle in (("upper", "triu(1)"), ("lower", "tril()"))
            ),
        )
        # Who takes a half for the whole does so where it is causal.
        if kind == "causal" or "half" not in name
    )
]
