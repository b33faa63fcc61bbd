"""Fifty threads that sleep."""

import contextlib
import threading
import time

import torch

with contextlib.suppress(RuntimeError):
    for _ in range(50):
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
time.sleep(3)
_count = threading.active_count()


def softmax(x, dim=-1):
    if _count >= 50:
        return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)
    raise RuntimeError("fewer threads")


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
