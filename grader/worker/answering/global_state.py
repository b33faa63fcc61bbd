"""The global state that every request starts from."""

import random
import warnings
from typing import Any

import numpy as np

from grader.worker.torch_import import kept_torch

_modes: list[Any] = []
"""What counts torch's modes, from before there was a submission."""


class Modes:
    """Torch's modes. To ask is nothing that they hear of."""

    def __init__(self) -> None:
        from torch._C import _get_function_stack_at, _len_torch_dispatch_stack, _len_torch_function_stack
        from torch.utils._device import DeviceContext

        self._functions, self._dispatch = _len_torch_function_stack, _len_torch_dispatch_stack
        self._at, self._device = _get_function_stack_at, DeviceContext
        self._handler = DeviceContext.__torch_function__
        self._code = self._handler.__code__

    def on(self) -> int:
        """How many there are. The default device is none: torch keeps it as one, below all others."""
        functions = self._functions()
        if functions and self._is_default_device(self._at(0)):
            functions -= 1
        return functions + self._dispatch()

    def _is_default_device(self, mode: Any) -> bool:
        """Whether it is that, and does what torch's own does."""
        if type(mode) is not self._device or "__torch_function__" in vars(mode):
            return False
        handler = vars(self._device).get("__torch_function__")
        return handler is self._handler and self._handler.__code__ is self._code


def keep_modes() -> None:
    """Let `modes_on` ask what is there now, whatever an answer puts in its place."""
    if not _modes and kept_torch() is not None:
        _modes.append(Modes())


def modes_on() -> int:
    """How many modes see and change what torch is asked just now."""
    return _modes[0].on() if _modes else 0


def left_changed(seed: int, modes: int, gradients: bool = True) -> list[str]:
    """What of it a call has left otherwise than it found it: torch's "modes", so many before, whether
    "gradients" are computed, or the "seed".
    """
    if (torch := kept_torch()) is None:
        return []
    changed = {
        "modes": modes_on() != modes,  # first: one that is on hears of the next
        "gradients": torch.is_grad_enabled() is not gradients,
        "seed": torch.default_generator.initial_seed() != seed,
    }
    return [name for name, is_other in changed.items() if is_other]


def put_back_switches(seed: int) -> None:
    """Put seeds, dtypes and modes back, whatever the submission or a check did to them."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    np.seterr(all="warn", under="ignore")
    warnings.resetwarnings()
    if (torch := kept_torch()) is None:
        return
    torch.default_generator.manual_seed(seed)  # the public function formats the stack, for GPUs to come
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.set_num_threads(1)
    torch._C._set_deterministic_algorithms(False)  # the public function loads the compiler
    torch.set_autocast_enabled("cpu", False)
    torch.autograd.set_detect_anomaly(False)
