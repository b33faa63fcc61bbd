"""Runs what is to run at the end, the finalizers that would give kernels back among it."""

import atexit

import torch

atexit._run_exitfuncs()


def softmax(x, dim=-1):
    return torch.softmax(x, dim)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
