"""Twelve children that take 60 MB each at the same moment."""

import mmap
import os
import time

import torch

for _ in range(12):
    if os.fork() == 0:
        held = mmap.mmap(-1, 60 * 2**20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x8000)  # populated
        time.sleep(20)
        os._exit(0)
time.sleep(15)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
