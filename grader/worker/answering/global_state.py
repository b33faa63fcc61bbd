"""The global state that every request starts from."""

import random
import warnings
from collections.abc import Callable

import numpy as np

from grader.worker.torch_import import kept_torch

_counts: list[Callable[[], int]] = []
"""What counts torch's modes, from before there was a submission."""


def keep_counts() -> None:
    """Let `modes_on` ask what is there now, whatever an answer puts in its place."""
    if not _counts and (torch := kept_torch()) is not None:
        _counts[:] = [torch._C._len_torch_function_stack, torch._C._len_torch_dispatch_stack]


def modes_on() -> int:
    """How many modes see and change what torch is asked just now. To ask is nothing that they hear of."""
    return sum(count() for count in _counts)


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
