"""The global state that every request starts from."""

import random
import warnings

import numpy as np

from grader.worker.torch_import import kept_torch


def left_changed(seed: int, gradients: bool = True) -> list[str]:
    """What of it a call has left otherwise than it found it: the mode of "gradients", or the "seed"."""
    if (torch := kept_torch()) is None:
        return []
    changed = {
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
