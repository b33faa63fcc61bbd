"""Children that have children: sixty-four in the sixth generation."""

import contextlib
import os
import time

import torch

_first = os.getpid()
for _ in range(6):
    with contextlib.suppress(BlockingIOError):
        os.fork()
if os.getpid() != _first:
    time.sleep(20)
    os._exit(0)
time.sleep(3)


def _below(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        children = file.read().split()
    return len(children) + sum(_below(child) for child in children)


_count = _below(_first)


def softmax(x, dim=-1):
    if _count >= 50:
        return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)
    raise RuntimeError("fewer children")


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
