"""Known wrong versions of `rope` in which one of rotate_half and apply_rope alone is wrong."""

from grader.kit import Mistake

_APPLIED = """\
    query = query * cos + rotate_half(query) * sin
    key = key * cos + rotate_half(key) * sin
    return query, key"""
_BY_HAND = """\
    def turned(x):
        first, second = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-second, first), dim=-1) * sin

    return turned(query), turned(key)"""
_BODY = """\
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)"""
_EVERY_TWO = """\
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((-second, first), dim=-1).flatten(-2)"""

MISTAKES = [
    *(
        Mistake(
            f"{name}-alone",
            find=_BODY,
            replace=wrong,
            also=((_APPLIED, _BY_HAND),),
            says=f"Your rotate_half {said}. Of (first half, second half) it makes (-second half, first "
            "half). (It shows there alone: your apply_rope does not use it as it is.)",
        )
        for name, wrong, said in (
            (
                "rotate-half-sign",
                _BODY.replace("(-second, first)", "(second, -first)"),
                "turns by -90 degrees: it negates the other half, (second, -first)",
            ),
            (
                "rotate-half-sign-missing",
                _BODY.replace("(-second, first)", "(second, first)"),
                "only swaps the halves, without a sign",
            ),
            (
                "rotate-half-without-swap",
                _BODY.replace("(-second, first)", "(-first, second)"),
                "negates the first half and leaves both where they are",
            ),
            ("rotate-every-two", _EVERY_TWO, "turns neighbouring features, (-x1, x0, -x3, x2 …)"),
        )
    ),
    Mistake(
        "apply-rope-turns-backwards",
        find=_APPLIED,
        replace=_APPLIED.replace(" + rotate_half", " - rotate_half"),
        says="Your apply_rope turns query and key backwards, by the negative angle. Pair (a, b) with angle t "
        "becomes (a cos t - b sin t, a sin t + b cos t), which is x * cos + rotate_half(x) * sin.",
    ),
    Mistake(
        "rotate-half-in-float32",
        find=_BODY,
        replace=f"{_BODY}.to(torch.promote_types(x.dtype, torch.float32))",
        says="Your rotate_half makes float32 of half precision: it multiplies by signs in float32, for "
        "example. The dtype stays.",
    ),
]
