"""Where an answer's tensors are: beside its arguments, or on the default device; and their default dtype.

The other device is "meta", whose tensors have no values, so that no second device is needed.
"""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Literal

from torch import Tensor

from grader.kit.assertions import assert_true
from grader.kit.handles import Submission

MIXED, UNKNOWN = "two devices", "unknown"
"""What comes instead of a device where tensors of two have met, and where a real device might have given
something: that this one has no values to read, or to move elsewhere, says nothing.
"""


def assert_keeps_device(
    submission: Submission,
    name: str,
    *args: Any,
    made_with: tuple[Any, ...] | None = None,
    factory: tuple[Any, ...] | None = None,
) -> None:
    """The function's result is on the device of its arguments where the default device is another one, and
    it makes no tensor elsewhere that meets them, but for numbers without dimensions: these may meet all
    others. It is what `name` makes of other arguments that is called, with `factory` made at that time, with
    `made_with` (a module's) before the default device changes.
    """
    came = _devices(submission, called, (name, args, factory), "default", made_with)
    # The other way round such a number may meet the arguments, as on a real device.
    mixes = came == MIXED
    if mixes:
        if made_with is None:
            again = _devices(submission, called, (name, args, factory), "arguments")
        else:
            again = _devices(submission, moved, (name, args, made_with), "")
        mixes = again == MIXED
    said = "tensors of two devices meet" if mixes else "the result is on the default device"
    message = f"where the default device is another one than that of the arguments, {said}"
    assert_true(not mixes and came != "meta", message, seen=MIXED if mixes else came)


def assert_device_kept(submission: Submission, scenario: Callable[..., Any], *args: Any) -> None:
    """A scenario (see `Submission.run`), given what is on the CPU, gives tensors that are there, and mixes
    no devices, where the default device is another one.
    """
    came = _devices(submission, scenario, args, "default")
    said = "tensors of two devices meet" if came == MIXED else "tensors are made there"
    message = f"where the default device is another one than that of what is given, {said}"
    assert_true(came in ("cpu", UNKNOWN), message, seen=came)


def assert_on_default_device(submission: Submission, name: str, *args: Any) -> None:
    """What a function without tensors as arguments makes is on the default device."""
    came = _devices(submission, called, (name, args, None), "default")
    assert_true(came in ("meta", UNKNOWN), f"the default device is meta, the result is on {came}", seen=came)


def assert_moves(submission: Submission, name: str, *args: Any, made_with: tuple[Any, ...] | None) -> None:
    """The result is on the device of the arguments, and of the module, which is moved there after it is
    made, where that is not the default device.
    """
    came = _devices(submission, moved, (name, args, made_with), "")
    said = "tensors of two devices meet" if came == MIXED else f"the result is on {came}"
    assert_true(came in ("meta", UNKNOWN), f"arguments and module are on meta, {said}", seen=came)


def with_float64_as_default(submission: Submission, name: str, *args: Any) -> Tensor:
    """What a function gives while the default dtype is float64."""
    came: Tensor = submission.run(_under_float64, name, args)
    return came


def called(answer: "Any", name: "Any", args: "Any", factory: "Any") -> "Any":
    """A scenario: what a function of the submission gives, or one that it makes."""
    function = getattr(answer, name)
    if factory is not None:
        function = function(*factory)
    return function(*args)


def moved(answer: "Any", name: "Any", args: "Any", made_with: "Any") -> "Any":
    """A scenario: the same where arguments and module are moved to meta."""
    module = getattr(answer, name)(*made_with).to("meta")
    return module(*[each.to("meta") if hasattr(each, "device") else each for each in args])


def _devices(
    submission: Submission,
    scenario: Callable[..., Any],
    args: tuple[Any, ...],
    elsewhere: Literal["default", "arguments", ""],
    made_with: tuple[Any, ...] | None = None,
) -> str:
    """The device of what the scenario gives ("meta" if only some of it is there), MIXED or UNKNOWN. On meta
    is the default device, or the tensors among the arguments, or neither. With `made_with` the scenario's
    function is what its class makes of that, before.
    """
    text = textwrap.dedent(inspect.getsource(scenario))
    came: str = submission.run(_on_meta, text, scenario.__name__, args, elsewhere, made_with, MIXED, UNKNOWN)
    return came


def _on_meta(
    answer: "Any",
    text: "Any",
    name: "Any",
    args: "Any",
    elsewhere: "Any",
    made_with: "Any",
    mixed: "Any",
    unknown: "Any",
) -> "Any":
    import sys
    from types import SimpleNamespace

    import torch

    class Absent:
        """In the place of a module: its classes are nobody's, its functions take sizes for plain numbers."""

        def __getattr__(self, name: "Any") -> "Any":
            if name.startswith("__"):
                raise AttributeError(name)
            if name[0].isupper():
                return type(name, (), {})
            of_several: "Any" = {
                "sym_and": lambda *facts: all(facts),
                "sym_or": lambda *facts: any(facts),
                "sym_eq": lambda one, other: one == other,
                "is_nested_int": lambda size: False,
            }
            return of_several.get(name, lambda size, **options: size)

        def disable(self, function: "Any", *args: "Any", **kwargs: "Any") -> "Any":
            return function

    def copied(value: "Any", device: "Any" = None) -> "Any":
        if isinstance(value, list | tuple):
            return [copied(item, device) for item in value]
        return value.detach().clone().to(device) if isinstance(value, torch.Tensor) else value

    def tensors(value: "Any") -> "Any":
        if isinstance(value, list | tuple):
            return [inner for item in value for inner in tensors(item)]
        return [value] if isinstance(value, torch.Tensor) else []

    space: "Any" = dict(globals())
    exec(text, space)
    if made_with is not None:
        answer = SimpleNamespace(**{args[0]: getattr(answer, args[0])(*made_with)})
    before: "Any" = []
    if elsewhere == "default":  # what raises here too has nothing to do with devices
        before = [tensors(space[name](answer, *copied(args))) for _ in range(2)]
    # Operations on this device only ask them whether a size is a symbol. To load them takes 5 s.
    own: "Any" = {
        each: Absent() for each in ("torch._dynamo", "torch.fx.experimental.symbolic_shapes", "sympy")
    }
    ours = [module for module, instead in own.items() if sys.modules.setdefault(module, instead) is instead]
    if elsewhere == "default":
        torch.set_default_device("meta")
    try:
        came = tensors(space[name](answer, *copied(args, "meta" if elsewhere == "arguments" else None)))
        if any(tensor.device.type == "meta" for tensor in came):
            return "meta"
        # To look something up by indices without values is no error; what it gives is anything.
        is_certain = before and all(map(torch.equal, *before))
        return mixed if is_certain and not all(map(torch.equal, came, before[0])) else "cpu"
    except NotImplementedError as error:
        if "meta" not in str(error).lower():
            raise  # its own: nothing is written yet
        return unknown
    except Exception as error:
        return mixed if "is not on the expected device" in str(error) else unknown
    finally:
        torch.set_default_device(None)
        for module in ours:
            sys.modules.pop(module)


def _under_float64(answer: "Any", name: "Any", args: "Any") -> "Any":
    import torch

    torch.set_default_dtype(torch.float64)
    return getattr(answer, name)(*args)
