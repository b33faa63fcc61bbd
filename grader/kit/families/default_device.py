"""Where tensors are made: on the device of what is given, whatever the default device is."""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_true
from grader.kit.handles import Submission


def devices_under_another_default(
    submission: Submission, scenario: Callable[..., Any], *args: Any, **kwargs: Any
) -> list[str] | None:
    """The devices of the tensors that the scenario gives where torch.device("meta") is the default device and
    all that it is given is on the CPU; None where it raises there, because devices have met."""
    text = textwrap.dedent(inspect.getsource(scenario))
    came: list[str] | None = submission.run(_elsewhere, text, scenario.__name__, list(args), kwargs)
    return came


def assert_device_kept(
    submission: Submission, scenario: Callable[..., Any], *args: Any, **kwargs: Any
) -> None:
    """The scenario makes nothing on the default device. It gives one tensor or several."""
    came = devices_under_another_default(submission, scenario, *args, **kwargs)
    # How tensors of two devices fail depends on the operation in which they meet: no evidence.
    stays = came is not None and set(came) == {"cpu"}
    assert_true(stays, "with torch.device('meta') as the default device, it makes tensors there", seen=stays)


def called(answer: "Any", name: str, args: "Any", kwargs: "Any") -> "Any":
    """A scenario: what a function of the submission gives."""
    return getattr(answer, name)(*args, **kwargs)


def _elsewhere(answer: "Any", text: "Any", name: "Any", args: "Any", kwargs: "Any") -> "Any":
    import sys
    from types import SimpleNamespace

    space = dict(globals())
    exec(text, space)
    space[name](answer, *args, **kwargs)  # what fails here too has nothing to do with devices
    # Operations on this device only ask it to leave them as they are, and to load it takes 4 s.
    own: "Any" = SimpleNamespace(disable=lambda function, *args, **kwargs: function)
    ours = sys.modules.setdefault("torch._dynamo", own) is own
    torch.set_default_device("meta")
    try:
        value = space[name](answer, *args, **kwargs)
    except Exception:
        return None
    finally:
        torch.set_default_device(None)
        ours and sys.modules.pop("torch._dynamo")
    values = value if isinstance(value, list | tuple) else [value]
    return [item.device.type for item in values if isinstance(item, Tensor)]
