"""Walks up from the frame of a task that runs."""

import asyncio
import traceback

import torch

_found = []


async def _look():
    for frame in asyncio.current_task().get_stack():
        _found.extend(above for above, _ in traceback.walk_stack(frame))


asyncio.run(_look())


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
