"""Starts another interpreter, as multiprocessing does."""

import multiprocessing

import torch

_process = multiprocessing.get_context("spawn").Process(target=print)
_process.start()
_process.join()


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
