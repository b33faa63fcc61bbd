"""Whether what an answer makes while it computes is where its arguments and parameters are."""

from typing import Any

from grader.kit.assertions import assert_true
from grader.kit.handles import Submission


def assert_stays_on_device(
    submission: Submission, name: str, *args: Any, made_with: tuple[Any, ...] | None = None
) -> None:
    """Where the default device is another one, no tensor on it meets those of the arguments, nor is one
    returned. `name` is a function's, or with `made_with` that of a class, which is made before.
    """
    stays = submission.run(_under_another_default, name, args, made_with)
    message = (
        "with another default device (torch.set_default_device) tensors end up there, beside those that are "
        "where the arguments are: make them on the arguments' device"
    )
    assert_true(stays, message, seen=stays)


def _under_another_default(answer: "Any", name: "Any", args: "Any", made_with: "Any") -> "Any":
    import sys
    from types import SimpleNamespace
    from typing import Any

    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    def devices(*values: Any) -> set[str]:
        found = set()
        for value in values:
            if isinstance(value, list | tuple):
                found |= devices(*value)
            elif isinstance(value, torch.Tensor) and value.dim():  # numbers may be anywhere
                found.add(value.device.type)
        return found

    met: list[set[str]] = []

    class Meeting(TorchDispatchMode):
        def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named, name = kwargs or {}, str(operation)
            is_elsewhere = bool(args) and isinstance(args[0], torch.Tensor) and args[0].is_meta
            # To read from the other device and to move from it is allowed, and goes on with zeros.
            if is_elsewhere and "_local_scalar_dense" in name:
                return 0
            if is_elsewhere and "_to_copy" in name:
                return torch.zeros(args[0].shape, dtype=named.get("dtype") or args[0].dtype, device="cpu")
            met.append(devices(*args, *named.values()))
            return operation(*args, **named)

    watching: Any = Meeting
    function = getattr(answer, name)
    if made_with is not None:
        function = function(*made_with)
    function(*args)  # once without: what it raises here, the learner is told
    # Operations on this device only ask it to leave them as they are, and to load it takes 4 s.
    own: Any = SimpleNamespace(disable=lambda function, *args, **kwargs: function)
    ours = sys.modules.setdefault("torch._dynamo", own) is own
    torch.set_default_device("meta")
    try:
        with watching():
            met.append({"cpu"} | devices(function(*args)))
    except Exception:
        pass  # two have met: that has been noted
    finally:
        torch.set_default_device(None)
        if ours:
            del sys.modules["torch._dynamo"]
    return all(len(each) < 2 for each in met)
