"""Whether calls keep apart: those of one answer at different times, and those of two instances of a class."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from torch import Tensor

from grader.kit.assertions import assert_close, assert_true
from grader.kit.comparison import counting, difference
from grader.kit.generators import Rng
from grader.kit.handles import Function, Instance
from grader.kit.outcomes import Raised
from grader.kit.rounds import is_second_round
from grader.kit.rules.in_place import WEIGHTS, not_followed, result_of_refilled, telling

Calls = Sequence[tuple[Any, ...]]
"""The arguments of one call after the other."""


@dataclass(frozen=True)
class Player:
    """A function or an instance, the arguments of its calls, and what gives their results (called with them).

    The calls should have other values in the same shapes. `where` says, called alike, which values count, as
    in `assert_close`. `changes`, if there is one, is called before the second half of the calls, which are to
    follow what it changes. With a `module` its calls follow also what is changed in place (see `in_place`):
    its weights, from `weights`, by which the oracle goes, to `others` and back, and arguments.
    """

    function: Function
    oracle: Callable[..., Any]
    calls: Calls
    where: Callable[..., Tensor | None] = lambda *_: None
    changes: Callable[[], None] | None = None
    module: Instance | None = None
    weights: dict[str, Tensor] = field(default_factory=dict)
    others: Mapping[str, Tensor] = field(default_factory=dict)


def assert_by_turns(
    *players: Player, tolerance: float | None = None, beside: tuple[Any, ...] | None = None
) -> None:
    """Every call of every player gives what its oracle gives, where they are called by turns: A B, B A, A B …

    So an instance that was made first is used after another one was made and called; and with four calls
    each of two modules meets both grad modes twice, which alternate from call to call (see `Host`): what is
    kept in evaluation or under no_grad alone shows too. Where something is drawn, it is that which is wrong,
    whatever came: answers with the same mistake draw in other ways. `beside`: a class and what makes one more
    of its instances, of other sizes, before all calls of the second round.
    """
    if beside is not None and is_second_round():
        beside[0](*beside[1:])
    modules = [player for player in players if player.module is not None]
    for player in modules[-1:]:  # the one that evaluates, where one of them does: there things are kept
        _assert_changes_followed(player, tolerance)
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


def assert_lists_are_read_anew(
    function: Function,
    first: tuple[Any, ...],
    second: tuple[Any, ...],
    expected: Any,
    read: Callable[[Any], Any] = lambda result: result,
) -> None:
    """A call goes by what the lists among its arguments hold then: after a call with `first`, these lists,
    filled in place with what `second` has, give what is `expected` of `second`. Both can be called. `read`
    makes of a result what is compared.
    """
    came = read(function.within(result_of_refilled, first, second))
    message = difference(came, expected)
    assert_true(
        message is None,
        f"after the lists of an earlier call were filled anew in place: {message}; what is kept by a list "
        "itself (its id, its address) is out of date when its contents change. Compute it in every call",
        seen="kept" if message is not None else None,
    )


def _assert_changes_followed(player: Player, tolerance: float | None) -> None:
    """For diagnosis only what is not followed counts, and not how: there are many ways to keep something."""
    assert player.module is not None
    parts = player.function, player.module, player.oracle, player.weights, player.others
    found: dict[str, str] = {}
    for call in telling(player.calls):
        found |= not_followed(*parts, call, where=player.where, tolerance=tolerance)
    name = WEIGHTS if WEIGHTS in found else min(found, default="")
    message = (
        f"after {name} got other values in place: {found.get(name)}; what was made of the old ones for an "
        "earlier call, and kept, is out of date. Compute it in every call, or anew whenever they change"
    )
    assert_true(not found, message, seen=name or None)


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


def with_weights(
    rng: Rng,
    module: Instance,
    oracle: Callable[..., Any],
    calls: Calls,
    *,
    function: Function | None = None,
    where: Callable[..., Tensor | None] = lambda *_: None,
    randomize: Callable[[], dict[str, Tensor]] | None = None,
) -> Player:
    """A module that gets random weights, and before the second half of its calls others, and others in place
    before: what is kept of the first is stale then. The oracle is called with them first. `function`: a
    method that is called instead; `randomize`: instead of the module's own; `where`: see `Player`.
    """
    draw = partial(module.randomize, rng) if randomize is None else randomize
    others, weights = draw(), draw()
    return Player(
        module if function is None else function,
        lambda *args: oracle(weights, *args),
        calls,
        where,
        changes=lambda: weights.update(draw()),
        module=module,
        weights=weights,
        others=others,
    )
