"""What the kernels of an answer's own operators compute is counted as well.

Torch runs a kernel after it has told the modes of the operator, and outside of them.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from grader.worker.measuring.meter import Meter, Mode
from grader.worker.measuring.threads import Relay


def follow_kernels() -> None:
    """From now on kernels that are registered in Python are followed."""
    register: Any = torch.library.Library.impl

    def register_followed(library: Any, operator: Any, kernel: Any, *args: Any, **kwargs: Any) -> Any:
        if not callable(kernel) or kernel is torch.library.fallthrough_kernel:
            return register(library, operator, kernel, *args, **kwargs)
        return register(library, operator, _followed(kernel), *args, **kwargs)

    torch.library.Library.impl = register_followed  # type: ignore[method-assign, assignment]


def _followed(kernel: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(kernel)
    def run(*args: Any, **kwargs: Any) -> Any:
        with contextlib.ExitStack() as modes:
            if Meter.running is not None and not _is_told():
                modes.enter_context(Relay())
            return kernel(*args, **kwargs)

    return run


def _is_told() -> bool:
    """Whether a mode of ours is told what this thread computes."""
    return any(isinstance(mode, Mode) for mode in _get_current_dispatch_mode_stack())
