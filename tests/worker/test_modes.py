"""Which modes of torch's count as left on: all but its own default device."""

import contextlib

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import DeviceContext
from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker.answering.global_state import Modes


class Hearing(TorchFunctionMode):
    """Hears of everything, and changes nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Dispatching(TorchDispatchMode):
    """Likewise."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class OwnDevice(DeviceContext):
    """Looks like a default device."""


@pytest.mark.parametrize("make, count", [(Hearing, 1), (Dispatching, 1), (OwnDevice, 1), (DeviceContext, 0)])
def test_a_mode_counts_while_it_is_on(make, count):
    modes = Modes()
    with make("cpu") if issubclass(make, DeviceContext) else make():
        assert modes.on() == count
    assert modes.on() == 0


def test_the_default_device_is_below_all_others():
    modes = Modes()
    with Hearing(), contextlib.ExitStack() as entered:
        torch.set_default_device("cpu")
        entered.callback(torch.set_default_device, None)
        assert modes.on() == 1
        with Hearing():
            assert modes.on() == 2


@pytest.mark.parametrize("where", ["object", "class", "code"])
def test_a_default_device_that_does_more_is_a_mode(where, monkeypatch):
    modes, device = Modes(), DeviceContext("cpu")

    def handler(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

    with contextlib.ExitStack() as entered:
        patch = entered.enter_context(monkeypatch.context())
        if where == "code":
            patch.setattr(DeviceContext.__torch_function__, "__code__", handler.__code__)
        elif where == "class":
            patch.setattr(DeviceContext, "__torch_function__", handler)
        else:
            patch.setattr(device, "__torch_function__", handler.__get__(device), raising=False)
        entered.enter_context(device)
        assert modes.on() == 1


def test_what_counts_is_from_before(monkeypatch):
    modes = Modes()
    with Hearing(), monkeypatch.context() as patch:
        patch.setattr(torch._C, "_len_torch_function_stack", lambda: 0)
        assert modes.on() == 1
