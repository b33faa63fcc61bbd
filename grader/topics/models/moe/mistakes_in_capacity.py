"""Known wrong versions of `MoE` in which an expert takes no more than some of the tokens that chose it."""

from grader.kit import Mistake

_FOUND = (
    "            token, place = torch.where(chosen == index)  # whose choice it is, and its first or second\n"
)
_FIRST_CHOICES_FIRST = """\
            first = place.argsort(stable=True)
            token, place = token[first], place[first]
"""
_CHOICES, _EXPERTS = "len(tokens) * self.top_k", "len(self.experts)"
_FACTORS = {"1": "1 / 1", "1.25": "5 / 4", "1.5": "3 / 2", "2": "2 / 1"}
"""By how many even shares of all choices an expert may take."""


def _dropped(mistake: str, capacity: str, sort: str = "") -> Mistake:
    """An expert takes the first `capacity` of its tokens, after `sort`."""
    how = ", second choices before first ones" if sort else ""
    return Mistake(
        mistake,
        find=_FOUND,
        replace=f"""\
{_FOUND}{sort}            capacity = {capacity}
            token, place = token[:capacity], place[:capacity]
""",
        says=f"You drop tokens{how}: an expert takes no more than a capacity, as in GShard and the Switch "
        "Transformer. Mixtral has none, and here neither: each token gets all its experts.",
    )


def _up(factor: str) -> str:
    above, below = _FACTORS[factor].split(" / ")
    return f"-(-{above} * {_CHOICES} // ({below} * {_EXPERTS}))"


def _down(factor: str) -> str:
    above, below = _FACTORS[factor].split(" / ")
    return f"max(1, {above} * {_CHOICES} // ({below} * {_EXPERTS}))"


MISTAKES = [
    _dropped("tokens-over-a-capacity-dropped", _up("1.25")),
    _dropped("tokens-over-an-even-share-dropped", _down("1")),
    _dropped("tokens-over-an-even-share-rounded-up-dropped", _up("1")),
    _dropped("tokens-over-a-capacity-rounded-down-dropped", _down("1.25")),
    *(
        _dropped(f"tokens-over-a-capacity-of-{factor}-shares-dropped{end}", capacity)
        for factor in ("1.5", "2")
        for end, capacity in (("", _up(factor)), ("-rounded-down", _down(factor)))
    ),
    _dropped("tokens-over-a-large-capacity-dropped", f"4 * {_CHOICES} // {_EXPERTS} + 8"),
    *(
        _dropped(
            f"second-choices-over-a-capacity-of-{factor}-shares-dropped", _up(factor), _FIRST_CHOICES_FIRST
        )
        for factor in _FACTORS
    ),
]
