"""What a check holds instead of the answer itself: things that look like it, and run in the worker.

`submission.softmax(x, dim=1)` calls the function there and gives the plain value; `submission.MLP(3, 5, 2)`
gives an `Instance`, whose methods are called alike. Nothing of the submission's ever runs in this process.
"""

import inspect
import textwrap
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import torch
from torch import Tensor

from grader.kit.generators import Rng
from grader.kit.measured import Measured, how, measured
from grader.kit.outcomes import Misused, Raised
from grader.kit.recording import record
from grader.kit.rounds import careful
from grader.kit.rules.side_effects import fail_by_side_effects
from grader.worker import wire


class Backend(Protocol):
    """Where requests go: a worker process, or (under a debugger) this one."""

    def request(self, request: dict[str, Any]) -> dict[str, Any]: ...

    def callback(self, function: Callable[..., Any]) -> wire.Callback: ...

    def bounded(self, memory: int) -> AbstractContextManager[None]: ...


_PLAIN = frozenset((int, float, bool, str, type(None)))  # no handles, and they hold none


@dataclass(frozen=True)
class Gradients:
    """A call's value, and the gradients of its floating-point inputs (in order, `names` beside them) and of
    its parameters (by name)."""

    value: Any
    inputs: list[Tensor]
    names: list[str]
    parameters: dict[str, Tensor]


class Function:
    """A callable of the submission: a function, a class, an object or a method."""

    def __init__(self, backend: Backend, target: list[Any], name: str) -> None:
        self._backend = backend
        self._target = target
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._value(self._call(args, kwargs))

    def changed_inputs(self, *args: Any, **kwargs: Any) -> dict[int, str]:
        """Call it, with gradients and without, and give the arguments that it has written to: their numbers
        (positional first) and names.
        """
        replies = [self._call(args, kwargs, differentiable=True)]
        with suppress(Raised):  # where it uses autograd inside
            replies.append(self._call(args, kwargs, differentiable=False))
        return {number: reply["names"][number] for reply in replies for number in reply["changed"]}

    def measure(self, *args: Any, **kwargs: Any) -> Measured:
        """Call it and count."""
        reply = self._call(args, kwargs, measure=how())
        return measured(self._value(reply), reply["cost"])

    def gradients(
        self,
        upstream: list[Tensor],
        *args: Any,
        constants: Mapping[str, Any] | None = None,
        trained: Collection[int] | None = None,
        frozen: bool = False,
        evaluating: bool = False,
        **kwargs: Any,
    ) -> Gradients:
        """Call it and run backward with the upstream gradients of its outputs. A missing one counts as zero.
        `trained` are the numbers of the floating-point inputs that require gradients, None for all. Meanwhile
        a module's parameters may be `frozen`, and it may be `evaluating`."""
        numbers, fixed = None if trained is None else list(trained), dict(constants or {})
        mode: dict[str, Any] = {"trained": numbers, "frozen": frozen, "evaluating": evaluating}
        reply = self._call(args, {**kwargs, **fixed}, upstream=upstream, constants=list(fixed), **mode)
        inputs = [
            name
            for name, value in zip(reply["names"], (*args, *kwargs.values()), strict=False)
            if is_float(value)
        ]
        return Gradients(self._value(reply), reply["inputs"], inputs, reply["parameters"])

    def within(self, scenario: Callable[..., Any], *args: Any) -> Any:
        """Run a scenario on it, see `Submission.run`: `scenario(function, *args)`."""
        return _received(_run(self._backend, scenario, args, {}, target=self._target)["value"], self._backend)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any], **options: Any) -> dict[str, Any]:
        reply = self._backend.request(
            {
                "do": "call",
                "target": self._target,
                "args": [_sendable(value, self._backend) for value in args],
                "kwargs": {name: _sendable(value, self._backend) for name, value in kwargs.items()},
                **options,
                **careful(),
            }
        )
        fail_by_side_effects(reply)
        return reply

    def _value(self, reply: dict[str, Any]) -> Any:
        return _received(reply["value"], self._backend)


class Instance(Function):
    """An object that stays in the worker. Attributes are its methods; see `attribute` for values."""

    def __init__(self, backend: Backend, ref: wire.Ref) -> None:
        super().__init__(backend, [ref], ref.type_name)
        self._ref = ref

    @property
    def type_name(self) -> str:
        return self._ref.type_name

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(name)
        return Function(self._backend, [self._ref, name], f"{self._name}.{name}")

    def attribute(self, name: str) -> Any:
        """The value of an attribute."""
        return self._ask("attribute", name=name)

    def assign(self, **values: Any) -> None:
        """Write values into arrays that are its attributes, in place."""
        self._ask("assign", values=values)

    def parameters(self) -> dict[str, Tensor]:
        """Its parameters by name."""
        values: dict[str, Tensor] = self._ask("parameters")
        return values

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of its parameters by name."""
        shapes: dict[str, list[int]] = self._ask("shapes")
        return {name: tuple(shape) for name, shape in shapes.items()}

    def buffers(self) -> dict[str, Tensor]:
        """Its buffers by name."""
        values: dict[str, Tensor] = self._ask("parameters", buffers=True)
        return values

    def storages(self) -> dict[int, int]:
        """The memory of the tensors that it holds, in whatever attributes and containers: bytes by address.
        Views share their storage, so they count once.
        """
        sizes: dict[int, int] = self._ask("storages")
        return sizes

    def load(self, values: Mapping[str, Tensor]) -> None:
        """Copy weights (or buffers) in by name; the module takes on their dtype. Fails when a name is
        missing or has another shape.
        """
        own: dict[str, list[int]] = self._ask("load_parameters", values=dict(values))
        missing = sorted(set(values) - set(own))
        if missing:
            record(missing, [])
            raise Misused(f"{self._name} has no parameter named {', '.join(missing)}.")
        others = [
            f"{name} has shape {tuple(own[name])}, expected {tuple(value.shape)}"
            for name, value in values.items()
            if own[name] != list(value.shape)
        ]
        if others:
            record(others, [])
            raise Misused("; ".join(others))

    def randomize(self, rng: Rng, dtype: torch.dtype = torch.float64) -> dict[str, Tensor]:
        """Give every parameter random values, and say which. They do not depend on the order in which the
        module declares its parameters: two answers with the same mistake have the same values."""
        values = {
            name: rng.normal(*shape, dtype=dtype, scale=0.5) for name, shape in sorted(self.shapes().items())
        }
        self.load(values)
        return Weights(values)

    def train(self) -> "Instance":
        self._ask("mode", training=True)
        return self

    def eval(self) -> "Instance":
        self._ask("mode", training=False)
        return self

    def to(self, dtype: torch.dtype) -> "Instance":
        self._ask("mode", dtype=dtype)
        return self

    def _ask(self, what: str, **options: Any) -> Any:
        reply = self._backend.request({"do": what, "of": self._ref, **options})
        return _received(reply.get("value"), self._backend)


class Weights(dict[str, Tensor]):
    """A module's parameters by name. To ask for one that it lacks ends the check, and tells the learner."""

    def __missing__(self, name: str) -> Tensor:
        record(sorted(self), [name])
        raise Misused(f"The module has no parameter named {name}.")


class Submission:
    """The answer under grading: its names are attributes."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(name)
        return Function(self._backend, ["name", name], name)

    def run(self, scenario: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run a small function of the check in the worker: `scenario(answer, *args, **kwargs)`, values in and
        out. Its text sees `torch`, `nn`, `F`, `Tensor`, `np`, `math`, `live_tensors()`, `backward(scalar)`.
        """
        return _received(_run(self._backend, scenario, args, kwargs)["value"], self._backend)

    def bounded(self, memory: int) -> AbstractContextManager[None]:
        """Inside, the answer has so many bytes of memory, and nothing that was made before."""
        return self._backend.bounded(memory)

    def measure(self, scenario: Callable[..., Any], *args: Any, **kwargs: Any) -> Measured:
        """Run a scenario and count."""
        reply = _run(self._backend, scenario, args, kwargs, measure=how())
        return measured(_received(reply["value"], self._backend), reply["cost"])


def _run(
    backend: Backend, scenario: Callable[..., Any], args: Any, kwargs: Any, **options: Any
) -> dict[str, Any]:
    return backend.request(
        {
            "do": "run",
            "text": text_of(scenario),
            "name": scenario.__name__,
            "args": [_sendable(value, backend) for value in args],
            "kwargs": {name: _sendable(value, backend) for name, value in kwargs.items()},
            **options,
            **careful(),
        }
    )


@lru_cache(maxsize=1000)  # finding it means reading the file up to its end, and it is sent again and again
def text_of(scenario: Callable[..., Any]) -> str:
    """The source of a function, as if it stood alone: scenarios are sent as text."""
    return textwrap.dedent(inspect.getsource(scenario))


def is_float(value: Any) -> bool:
    """Whether it is a tensor that can have a gradient."""
    return isinstance(value, Tensor) and value.is_floating_point()


def _sendable(value: Any, backend: Backend) -> Any:
    """Handles become references, in lists and tuples too."""
    if isinstance(value, Instance):
        return value._ref
    if isinstance(value, Rng):
        return value.as_generator()
    if inspect.isfunction(value) or inspect.ismethod(value):
        return backend.callback(value)
    if type(value) in (list, tuple):
        if _PLAIN.issuperset(map(type, value)):
            return value  # may be thousands of numbers
        return type(value)(_sendable(item, backend) for item in value)
    if type(value) is dict:
        return {key: _sendable(item, backend) for key, item in value.items()}
    return value


def _received(value: Any, backend: Backend) -> Any:
    """References become handles, wherever they stand."""
    if isinstance(value, wire.Ref):
        return Instance(backend, value)
    if isinstance(value, list | tuple):
        if _PLAIN.issuperset(map(type, value)):
            return value
        return type(value)(_received(item, backend) for item in value)
    if isinstance(value, dict):
        return {key: _received(item, backend) for key, item in value.items()}
    return value
