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
    in `assert_close`. `changes`, if there is one, is called before the second half of the calls, which are to
    follow what it changes.
    """

    function: Function
    oracle: Callable[..., Any]
    calls: Calls
    where: Callable[..., Tensor | None] = lambda *_: None
    changes: Callable[[], None] | None = None


def assert_by_turns(*players: Player, tolerance: float | None = None) -> None:
    """Every call of every player gives what its oracle gives, where they are called by turns: A B, B A, A B …

    So an instance that was made first is used after another one was made and called; and with four calls
    each of two modules meets both grad modes twice, which alternate from call to call (see `Host`): what is
    kept in evaluation or under no_grad alone shows too. Where something is drawn, it is that which is wrong,
    whatever came: answers with the same mistake draw in other ways.
    """
    came, expected = {}, {}
    wrong: tuple[str, Player, tuple[Any, ...]] | None = None  # the first call that is
    for turn in range(max(len(player.calls) for player in players)):
        numbered = list(enumerate(players, start=1))
        for number, player in numbered if turn % 2 == 0 else reversed(numbered):
            if turn < len(player.calls):
                if player.changes is not None and turn == len(player.calls) // 2:
                    player.changes()
                arguments = player.calls[turn]
                name = _name(turn, number if len(players) > 1 else None, player)
                wanted = player.oracle(*arguments)
                came[name] = counting(player.function(*arguments), wanted, player.where(*arguments))
                expected[name] = wanted
                if wrong is None and difference(came[name], wanted, tolerance) is not None:
                    wrong = name, player, arguments
    if wrong is not None:  # only now: a further call may change what later ones give
        name, player, arguments = wrong
        if _draws(player, arguments, expected[name]):
            assert_true(False, f"{name}: the same call gives something else each time", seen="drawn")
    assert_close(came, expected, tolerance=tolerance)


def _name(turn: int, number: int | None, player: Player) -> str:
    whose = "" if number is None else f" of instance {number}"
    is_changed = player.changes is not None and turn >= len(player.calls) // 2
    when = ", after its weights were changed" if is_changed else ""
    return f"call {turn + 1}{whose}{when}"


def _draws(player: Player, arguments: tuple[Any, ...], expected: Any) -> bool:
    """Whether more calls in the same grad mode, which alternates, give different values where these count."""
    where = player.where(*arguments)
    try:
        came = [counting(player.function(*arguments), expected, where) for _ in range(4)]
    except Raised:
        return False
    return any(difference(one, other) is not None for one, other in zip(came, came[2:], strict=False))


def with_weights(rng: Rng, module: Instance, oracle: Callable[..., Any], calls: Calls) -> Player:
    """A module that gets random weights, and before the second half of its calls others: what is kept of the
    first is stale then. The oracle is called with them first.
    """
    weights = module.randomize(rng)
    return Player(
        module,
        lambda *args: oracle(weights, *args),
        calls,
        changes=lambda: weights.update(module.randomize(rng)),
    )
