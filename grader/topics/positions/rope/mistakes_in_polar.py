"""Known wrong versions of `rope` that give torch.polar something else than lengths and angles."""

from grader.kit import Mistake

_HALF = (
    "    cos, sin = cos.chunk(2, dim=-1)[0], sin.chunk(2, dim=-1)[0]  # (seq, head_dim / 2)\n"
    "    even, odd = x[..., 0::2], x[..., 1::2]"
)
_QUERY = "    query = query * cos + rotate_half(query) * sin\n"
_POLAR = "    cos, sin = cos.to({0}) * sin.to({0}).cos(), cos.to({0}) * sin.to({0}).sin()\n"
_OF_NEIGHBOURS = _HALF.replace("    even", f"{_POLAR.format('x')}    even")
_OF_HALVES = _POLAR.format("query") + _QUERY
_SAYS = (
    "you turn by cos * e^(i sin): torch.polar takes a length and an angle, and gets the cosine and the sine, "
    "for example. torch.complex takes the two parts of a number, cos + i sin."
)

MISTAKES = [
    Mistake("polar-of-neighbours", find=_HALF, replace=_OF_NEIGHBOURS, says=f"Of neighbours {_SAYS}"),
    Mistake("polar-of-halves", find=_QUERY, replace=_OF_HALVES, says=f"In apply_rope {_SAYS}"),
    Mistake(
        "polar-of-neighbours-and-halves",
        find=_HALF,
        replace=_OF_NEIGHBOURS,
        also=((_QUERY, _OF_HALVES),),
        says=f"In both functions {_SAYS}",
    ),
    Mistake(
        "polar-with-its-arguments-exchanged",
        find="    return angles.cos(), angles.sin()",
        replace="    return angles * torch.ones_like(angles).cos(), angles * torch.ones_like(angles).sin()",
        says="Your tables are those of angle * e^(i): torch.polar(angles, ones), for example, takes the "
        "angles for lengths. The length comes first: torch.polar(ones, angles).",
    ),
]
