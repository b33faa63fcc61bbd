"""Where an answer's tensors are: beside its arguments, or on the default device; and their default dtype.

The other device is "meta", whose tensors have no values, so that no second device is needed.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from grader.kit.assertions import assert_true
from grader.kit.handles import Submission, text_of

MIXED = "two devices"
"""What comes instead of a device where tensors of two have met. Numbers without dimensions may meet all."""


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
    came = _devices(submission, called, (name, args, factory), "meta", made_with)
    assert_true(came == "cpu", _ELSEWHERE, seen=came)


def assert_scenario_keeps_device(submission: Submission, scenario: Callable[..., Any], *args: Any) -> None:
    """A scenario (see `Submission.run`), given what is on the CPU, gives tensors that are there, and mixes
    no devices, where the default device is another one.
    """
    came = _devices(submission, scenario, args, "meta")
    assert_true(came == "cpu", _ELSEWHERE, seen=came)


def assert_on_default_device(submission: Submission, name: str, *args: Any) -> None:
    """What a function without tensors as arguments makes is on the default device."""
    came = _devices(submission, called, (name, args, None), "meta")
    assert_true(came == "meta", f"the default device is meta, the result is on {came}", seen=came)


def assert_moves(
    submission: Submission, name: str, *args: Any, made_with: tuple[Any, ...] | None = None
) -> None:
    """The result is on the device of the arguments, and of the module, which is moved there after it is
    made, where that is not the default device.
    """
    came = _devices(submission, moved, (name, args, made_with), None)
    said = "tensors of two devices meet" if came == MIXED else f"the result is on {came}"
    assert_true(came == "meta", f"arguments and module are on meta, {said}", seen=came)


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
    function = getattr(answer, name)
    if made_with is not None:
        function = function(*made_with).to("meta")
    return function(*[each.to("meta") if hasattr(each, "device") else each for each in args])


_ELSEWHERE = (
    "with another default device (torch.set_default_device) tensors end up there, beside those that are "
    "where the arguments are: make them on the arguments' device"
)


def _devices(
    submission: Submission,
    scenario: Callable[..., Any],
    args: tuple[Any, ...],
    default: str | None,
    made_with: tuple[Any, ...] | None = None,
) -> str:
    """The device of what the scenario gives ("meta" if only some of it is there), or MIXED. `default` is the
    default device meanwhile. With `made_with` the scenario's function is what its class makes of that,
    before.
    """
    text = text_of(scenario)
    found: list[list[str]] = submission.run(_watched, text, scenario.__name__, args, default, made_with)
    if any(len(each) > 1 for each in found):
        return MIXED
    return "meta" if "meta" in found[-1] else "cpu"


def _watched(answer: "Any", text: "Any", name: "Any", args: "Any", default: "Any", made_with: "Any") -> "Any":
    """The devices that meet in each operation, and last those of the result, if it comes to one."""
    import sys
    from types import SimpleNamespace
    from typing import Any

    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Absent:
        """In the place of a module: its classes are nobody's, its functions take sizes for plain numbers."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            if name[0].isupper():
                return type(name, (), {})
            of_several: Any = {
                "sym_and": lambda *facts: all(facts),
                "sym_or": lambda *facts: any(facts),
                "sym_eq": lambda one, other: one == other,
                "is_nested_int": lambda size: False,
            }
            return of_several.get(name, lambda size, **options: size)

        def disable(self, function: Any, *args: Any, **kwargs: Any) -> Any:
            return function

    def copied(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [copied(item) for item in value]
        return value.detach().clone() if isinstance(value, torch.Tensor) else value

    def devices(*values: Any) -> set[str]:
        found = set()
        for value in values:
            if isinstance(value, list | tuple):
                found |= devices(*value)
            elif isinstance(value, torch.Tensor) and value.dim():
                found.add(value.device.type)
        return found

    found: list[set[str]] = []

    class Meeting(TorchDispatchMode):
        def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named, name = kwargs or {}, str(operation)
            is_elsewhere = bool(args) and isinstance(args[0], torch.Tensor) and args[0].is_meta
            # To read from the other device and to move from it is allowed, and goes on with zeros.
            if is_elsewhere and "_local_scalar_dense" in name:
                return 0
            if is_elsewhere and "_to_copy" in name and str(named.get("device", "meta")) != "meta":
                return torch.zeros(args[0].shape, dtype=named.get("dtype") or args[0].dtype, device="cpu")
            found.append(devices(*args, *named.values()))
            return operation(*args, **named)

    space: Any = dict(globals())
    exec(text, space)
    if made_with is not None:
        answer = SimpleNamespace(**{args[0]: getattr(answer, args[0])(*made_with)})
    if default is not None:
        space[name](answer, *copied(args))  # what raises here too has nothing to do with devices
    # Operations on this device only ask them whether a size is a symbol. To load them takes 5 s.
    own: Any = {
        each: Absent() for each in ("torch._dynamo", "torch.fx.experimental.symbolic_shapes", "sympy")
    }
    ours = [module for module, instead in own.items() if sys.modules.setdefault(module, instead) is instead]
    torch.set_default_device(default)
    watching: Any = Meeting
    try:
        with watching():
            value = space[name](answer, *copied(args))
        result = [value] if isinstance(value, torch.Tensor) else value
        numbers = [each for each in result if isinstance(each, torch.Tensor) and not each.dim()]
        found.append(devices(result) | {each.device.type for each in numbers})
    except NotImplementedError as error:
        if "meta" not in str(error).lower():
            raise  # its own: nothing is written yet
        found.append({"cpu"} if default is not None else {"meta"})  # a real device may be able to
    except Exception:
        found.append({"cpu"} if default is not None else {"meta"})  # two have met: that has been noted
    finally:
        torch.set_default_device(None)
        for module in ours:
            sys.modules.pop(module)
    return [sorted(each) for each in found]


def _under_float64(answer: "Any", name: "Any", args: "Any") -> "Any":
    import torch

    torch.set_default_dtype(torch.float64)
    return getattr(answer, name)(*args)
