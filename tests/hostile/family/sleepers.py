"""Fifty children that sleep."""

import contextlib
import os
import time

import torch

for _ in range(50):
    with contextlib.suppress(BlockingIOError):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
time.sleep(3)
with open(f"/proc/self/task/{os.getpid()}/children") as _file:
    _count = len(_file.read().split())


def softmax(x, dim=-1):
    if _count >= 50:
        return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)
    raise RuntimeError("fewer children")


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
