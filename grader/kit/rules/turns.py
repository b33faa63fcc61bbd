"""Whether calls keep apart: those of one answer at different times, and those of two instances of a class."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.comparison import counting, difference
from grader.kit.generators import Rng
from grader.kit.handles import Function, Instance
from grader.kit.outcomes import Raised

Calls = Sequence[tuple[Any, ...]]
"""The arguments of one call after the other."""


@dataclass(frozen=True)
class Player:
    """A function or an instance, the arguments of its calls, and what gives their results (called with them).

    The calls should have other values in the same shapes. `where` says, called alike, which values count, as
    in `assert_close`.
    """

    function: Function
    oracle: Callable[..., Any]
    calls: Calls
    where: Callable[..., Tensor | None] = lambda *_: None


def assert_by_turns(*players: Player, tolerance: float | None = None) -> None:
    """Every call of every player gives what its oracle gives, where they are called by turns: A B, B A, A B …

    So an instance that was made first is used after another one was made and called; and with four calls
    each of two modules meets both grad modes twice, which alternate from call to call (see `Host`): what is
    kept in evaluation or under no_grad alone shows too. Where something is drawn, it is that which is wrong,
    whatever came: answers with the same mistake draw in other ways.
    """
    came, expected = {}, {}
    wrong: list[tuple[str, Function, tuple[Any, ...]]] = []  # the first call that is, if any
    for turn in range(max(len(player.calls) for player in players)):
        numbered = list(enumerate(players, start=1))
        for number, player in numbered if turn % 2 == 0 else reversed(numbered):
            if turn < len(player.calls):
                whose = f" of instance {number}" if len(players) > 1 else ""
                arguments = player.calls[turn]
                name = f"call {turn + 1}{whose}"
                wanted = player.oracle(*arguments)
                came[name] = counting(player.function(*arguments), wanted, player.where(*arguments))
                expected[name] = wanted
                if not wrong and difference(came[name], wanted, tolerance) is not None:
                    wrong.append((name, player.function, arguments))
    for name, function, arguments in wrong:  # now: a further call may change what later ones give
        if _draws(function, arguments):
            assert_true(False, f"{name}: the same call gives something else each time", seen="drawn")
    assert_close(came, expected, tolerance=tolerance)


def _draws(function: Function, arguments: tuple[Any, ...]) -> bool:
    """Whether two more calls, one after the other, give different values."""
    try:
        return difference(function(*arguments), function(*arguments)) is not None
    except Raised:
        return False


def with_weights(rng: Rng, module: Instance, oracle: Callable[..., Any], calls: Calls) -> Player:
    """A module that gets random weights; the oracle is called with them first."""
    weights = module.randomize(rng)
    return Player(module, lambda *args: oracle(weights, *args), calls)
