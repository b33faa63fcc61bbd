"""Whether what a function makes is where it belongs: beside its arguments, or on the default device."""

from typing import Any

from grader.kit.assertions import assert_true
from grader.kit.handles import Submission


def assert_stays_with_arguments(
    submission: Submission, name: str, *args: Any, made_with: tuple[Any, ...] | None = None
) -> None:
    """The function's result is on the device of its arguments, and it makes no tensor of its own elsewhere
    that meets them, but for numbers without dimensions: these may meet all others. With `made_with`, it is
    what `name` makes of these arguments (a function, a module) that is called.
    """
    came = submission.run(_device_of_two, name, args, made_with, "default")
    # The other way round such a number may meet the arguments, as on a real device.
    mixes = came == "mixed" and submission.run(_device_of_two, name, args, made_with, "arguments") == "mixed"
    said = "two devices meet" if mixes else "the result is on the default device"
    message = f"where the default device is another one than that of its arguments, {said}"
    assert_true(not mixes and came != "meta", message, seen="mixed" if mixes else came)


def assert_on_default_device(submission: Submission, name: str, *args: Any) -> None:
    """What a function without tensors as arguments makes is on the default device."""
    came = submission.run(_device_of_two, name, args, None, "default")
    assert_true(came != "cpu", f"the default device is meta, the result is on {came}", seen=came)


def _device_of_two(answer: "Any", name: "Any", args: "Any", made_with: "Any", moved: "Any") -> "Any":
    """The device of the result where the default device, or the arguments, are on meta and the others on the
    CPU; "mixed" if the two meet; "" if it is unknown.
    """
    import sys

    class Absent:
        """In the place of a module: its classes are nobody's, its functions take sizes for plain numbers."""

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            if name[0].isupper():
                return type(name, (), {})
            of_several = {
                "sym_and": lambda *facts: all(facts),
                "sym_or": lambda *facts: any(facts),
                "sym_eq": lambda one, other: one == other,
                "is_nested_int": lambda size: False,
            }
            return of_several.get(name, lambda size, **options: size)

        def disable(self, function, *args, **kwargs):
            return function

    # Operations on this device only ask them whether a size is a symbol. To load them takes 5 s.
    own = {name: Absent() for name in ("torch._dynamo", "torch.fx.experimental.symbolic_shapes", "sympy")}
    ours = [module for module, instead in own.items() if sys.modules.setdefault(module, instead) is instead]
    if moved == "arguments":
        args, made_with = (
            values and [value.to("meta") if isinstance(value, torch.Tensor) else value for value in values]
            for values in (args, made_with)
        )
    try:
        function = getattr(answer, name)
        if made_with is not None:
            function = function(*made_with)
        if moved == "arguments" and isinstance(function, torch.nn.Module):
            function.to("meta")
        torch.set_default_device("meta" if moved == "default" else None)
        return function(*args).device.type
    except Exception as error:
        if isinstance(error, NotImplementedError) and "meta" not in str(error):
            raise  # its own: nothing is written yet
        # That the device has no values to read, or to move elsewhere, says nothing: a real one has.
        return "mixed" if "is not on the expected device" in str(error) else ""
    finally:
        torch.set_default_device(None)
        for module in ours:
            sys.modules.pop(module)
