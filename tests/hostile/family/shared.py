"""Children that take 360 MB together of memory that all of them share."""

import mmap
import os
import time

import torch

_shared = [mmap.mmap(-1, 120 * 2**20) for _ in range(3)]
for _each in _shared:
    if os.fork() == 0:
        for _place in range(0, len(_each), mmap.PAGESIZE):
            _each[_place] = 1
        time.sleep(20)
        os._exit(0)
time.sleep(15)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
