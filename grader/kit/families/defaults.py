"""Which device and dtype an answer's results have where the defaults are others than usual.

The other device is "meta": tensors without values, so that no second device is needed.
"""

from typing import Any

from torch import Tensor

from grader.kit.assertions import assert_equal
from grader.kit.handles import Submission


def assert_keeps_device(
    submission: Submission, name: str, *args: Any, made_with: tuple[Any, ...] | None = None
) -> None:
    """Where the default device is another one, the result stays where the arguments are. `name` is a
    function's, or with `made_with` that of a class, which is made before.
    """
    came = submission.run(_device, name, args, made_with, default="meta")
    assert_equal(came or "cpu", "cpu", what="device")


def assert_on_default_device(submission: Submission, name: str, *args: Any) -> None:
    """What a function without tensors as arguments makes is on the default device."""
    came = submission.run(_device, name, args, None, default="meta")
    assert_equal(came or "meta", "meta", what="device (meta is the default)")


def assert_moves(submission: Submission, name: str, *args: Any, made_with: tuple[Any, ...] | None) -> None:
    """The result is on the device of the arguments, and of the module, which is moved there after it is
    made, where that is not the default device.
    """
    came = submission.run(_device, name, args, made_with, to="meta")
    assert_equal(came or "meta", "meta", what="device (arguments and module are on meta)")


def with_float64_as_default(submission: Submission, name: str, *args: Any) -> Tensor:
    """What a function gives while the default dtype is float64."""
    came: Tensor = submission.run(_under_float64, name, args)
    return came


def _device(
    answer: "Any", name: "Any", args: "Any", made_with: "Any", default: "Any" = None, to: "Any" = None
) -> "Any":
    import sys
    from types import SimpleNamespace

    import torch

    function = getattr(answer, name)
    if made_with is not None:
        function = function(*made_with)
    copies = [[each.clone() if isinstance(each, torch.Tensor) else each for each in args] for _ in range(2)]
    first, second = [function(*each) for each in copies]  # what it raises here, the learner is told
    # On this device torch asks the one to leave operations as they are, the other about sizes, which may be
    # symbols elsewhere. To load them takes seconds.
    modules: "Any" = sys.modules
    sizes: "dict[str, Any]" = {
        **dict.fromkeys(("expect_true", "guard_or_false", "guard_or_true", "guard_size_oblivious"), bool),
        **{"statically_known_true": bool, "guard_int": int, "guarding_hint_or_throw": int},
        **{"is_nested_int": lambda size: False, "has_free_symbols": lambda size: False},
        **{"has_guarding_hint": lambda size: True, "sym_eq": lambda one, other: one == other},
        **{"sym_and": lambda *facts: all(facts), "sym_or": lambda *facts: any(facts)},
    }
    lazy: "dict[str, Any]" = {
        "torch._dynamo": SimpleNamespace(disable=lambda function, *args, **kwargs: function),
        "torch.fx.experimental.symbolic_shapes": SimpleNamespace(**sizes),
    }
    ours = [each for each, module in lazy.items() if modules.setdefault(each, module) is module]
    try:
        if to is not None:
            args = [each.to(to) if isinstance(each, torch.Tensor) else each for each in args]
            if isinstance(function, torch.nn.Module):
                function.to(to)
        torch.set_default_device(default)
        came = function(*args)
        # To look something up by indices without values is no error; what it gives is anything.
        is_other = came.device.type == "cpu" and torch.equal(first, second) and not torch.equal(came, first)
        return "two devices" if is_other else came.device.type
    except Exception as error:
        # It may read from that device or move from it: a real one may allow that. None allows to compute with
        # tensors of two devices, but for a single number on the CPU beside others.
        return "two devices" if to is not None and "is not on the expected device" in str(error) else None
    finally:
        torch.set_default_device(None)
        for each in ours:
            modules.pop(each)


def _under_float64(answer: "Any", name: "Any", args: "Any") -> "Any":
    import torch

    torch.set_default_dtype(torch.float64)
    return getattr(answer, name)(*args)
