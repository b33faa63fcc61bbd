"""Known wrong versions of `rope`: cosine and sine exchanged in one feature of each pair."""

from grader.kit import Mistake

_SAYS = (
    "In {where}, cosine and sine have changed places in the {half} feature of each pair. (a, b) becomes "
    "(a cos t - b sin t, a sin t + b cos t): where t is 0, nothing changes."
)
_HALVES = {
    "first": "torch.cat((exchanged.chunk(2, dim=-1)[0], {0}.chunk(2, dim=-1)[1]), dim=-1)",
    "second": "torch.cat(({0}.chunk(2, dim=-1)[0], exchanged.chunk(2, dim=-1)[1]), dim=-1)",
}


def _exchanged(name: str, half: str) -> tuple[str, str]:
    """The edit of what turns query or key."""
    line = f"    {name} = {name} * cos + rotate_half({name}) * sin\n"
    exchanged = f"    exchanged = {name} * sin + rotate_half({name}) * cos\n"
    return line, f"{exchanged}{line}    {name} = {_HALVES[half].format(name)}\n"


MISTAKES = [
    *(
        Mistake(
            f"cos-and-sin-swapped-in-the-{half}-half-of-{id_}",
            find=_exchanged(first, half)[0],
            replace=_exchanged(first, half)[1],
            also=tuple(_exchanged(name, half) for name in others),
            says=_SAYS.format(where=f"what apply_rope makes of {words}", half=half),
        )
        for half in ("first", "second")
        for id_, words, (first, *others) in (
            ("the-query", "the query", ("query",)),
            ("the-key", "the key", ("key",)),
            ("both", "query and key", ("query", "key")),
        )
    ),
    *(
        Mistake(
            f"cos-and-sin-swapped-in-the-{half}-of-neighbours",
            find=right,
            replace=wrong,
            says=_SAYS.format(where="apply_rope_interleaved", half=half),
        )
        for half, right, wrong in (
            ("first", "even * cos - odd * sin", "even * sin - odd * cos"),
            ("second", "even * sin + odd * cos", "even * cos + odd * sin"),
        )
    ),
]
