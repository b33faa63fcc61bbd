"""Three children with 120 MB each."""

import os
import time

import torch

for _ in range(3):
    if os.fork() == 0:
        held = b"x" * (120 * 2**20)
        time.sleep(20)
        os._exit(0)
time.sleep(15)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
