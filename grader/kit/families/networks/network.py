"""A network whose object in the worker passes every call on to here, out of the answer's reach."""

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_close
from grader.kit.handles import Instance, Submission


class Refused(Exception):
    """What an answer gives to a method cannot be sent; the message says why."""


class Network:
    """What an answer is given stands in the stub; a subclass has its methods, their arguments named alike.

    What arrives is new memory and cut from the autograd graph.
    """

    def __init__(self, world_size: int) -> None:
        self.world_size = world_size

    def connect(
        self, submission: Submission, name: str, methods: Sequence[str], counters: Sequence[str]
    ) -> Instance:
        """The object in the worker: it has these methods of the network, may read these of its attributes,
        and is called `name` where an answer writes to one.
        """
        passed = {each: _answering(getattr(self, each)) for each in methods}
        read = {each: _reading(self, each) for each in counters}
        came: Instance = submission.run(passing_on, name, self.world_size, passed, read)
        return came

    def one_each(self, items: Any, what: str = "tensors") -> list[Any]:
        """A list with one item for each rank."""
        came = len(items) if isinstance(items, list) else 0
        if came != self.world_size:
            raise Refused(f"got {came} {what}, expected one for each of {self.world_size} ranks")
        return list(items)

    def tensors(self, items: Any) -> list[Tensor]:
        """A list with one tensor for each rank, all of one shape."""
        tensors = [tensor(item) for item in self.one_each(items)]
        for sizes in ([each.numel() for each in tensors], [tuple(each.shape) for each in tensors]):
            if len(set(sizes)) > 1:
                raise Refused(f"the tensors of a list have the same size, the sizes {sizes} came")
        return tensors

    def rank(self, value: Any, what: str) -> int:
        """The number of a rank."""
        try:
            number = operator.index(value)
        except (TypeError, ValueError, RuntimeError):
            raise Refused(f"{what} is the number of a rank, an int") from None
        if not 0 <= number < self.world_size:
            raise Refused(f"{what} {number} is no rank: they are 0 to {self.world_size - 1}")
        return number


def tensor(value: Any) -> Tensor:
    """A copy of the value, cut from the autograd graph, if it is a tensor."""
    if not isinstance(value, Tensor):
        raise Refused(f"tensors are sent, a {getattr(value, 'type_name', type(value).__name__)} came")
    return value.detach().clone()


def assert_ranks(came: Any, expected: Sequence[Any], **options: Any) -> None:
    """A list with one value per rank, each named for the messages; options as in `assert_close`."""
    wanted: Any = list(expected)
    if isinstance(came, tuple | list) and len(came) == len(wanted):
        came, wanted = ({f"rank {i}": one for i, one in enumerate(each)} for each in (came, wanted))
    assert_close(came, wanted, **options)


def turned(value: Tensor, sign: int) -> Tensor:
    """The values with a sign, where they have one: integers are places and counts."""
    return sign * value if value.is_floating_point() else value


def sum_of(tensors: Sequence[Tensor]) -> Tensor:
    """The sum of one tensor per rank."""
    return torch.stack(list(tensors)).sum(0)


def _answering(method: Callable[..., Any]) -> list[Any]:
    """The names of a method's arguments, and what gives its refusal, "" if there is none, and its value."""

    def answered(*args: Any) -> list[Any]:
        try:
            return ["", method(*args)]
        except Refused as refusal:
            return [str(refusal), None]

    return [list(inspect.signature(method).parameters), answered]


def _reading(network: Network, counter: str) -> Callable[[], Any]:
    return lambda: getattr(network, counter)


def passing_on(answer: "Any", name: "Any", ranks: "Any", methods: "Any", counters: "Any") -> "Any":
    """A scenario: the object that an answer is given. It passes everything on to the network."""

    def listed(value: "Any") -> "Any":
        if isinstance(value, torch.Tensor | str) or not hasattr(value, "__iter__"):
            return value
        return [listed(item) for item in value]

    def method(own: "Any", names: "Any", call: "Any") -> "Any":
        def passed(self: "Any", *args: "Any", **kwargs: "Any") -> "Any":
            given = {**dict(zip(names, args, strict=False)), **kwargs}
            if len(args) + len(kwargs) != len(names) or set(given) != set(names):
                raise TypeError(f"{name}.{own} takes ({', '.join(names)})")
            refusal, value = call(*[listed(given[each]) for each in names])
            assert not refusal, refusal
            return value

        return passed

    def counter(own: "Any", read: "Any") -> "Any":
        def refused(self: "Any", value: "Any") -> "Any":
            raise AttributeError(f"{name}.{own} counts by itself what goes through the methods: only read it")

        return property(lambda self: read(), refused)

    members = {own: method(own, *each) for own, each in methods.items()}
    members |= {own: counter(own, read) for own, read in counters.items()}
    return type(name.capitalize(), (), {"world_size": ranks, **members})()
