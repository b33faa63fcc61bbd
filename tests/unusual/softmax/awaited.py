"""Waits for itself."""

import asyncio

import torch


async def _total(exps, dim):
    await asyncio.sleep(0)
    return exps.sum(dim=dim, keepdim=True)


async def _softmax(x, dim):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    total, _ = await asyncio.gather(_total(exps, dim), asyncio.sleep(0))
    return exps / total


def softmax(x, dim=-1):
    return asyncio.run(_softmax(x, dim))


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
