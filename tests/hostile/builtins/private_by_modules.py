"""Reaches the private parts where all modules are listed."""

import sys

import torch

_refs = sys.modules["torch"]._refs


def softmax(x, dim=-1):
    shifted = x - torch.amax(x, dim, keepdim=True)
    return _refs.div(_refs.exp(shifted), _refs.sum(_refs.exp(shifted), [dim], keepdim=True))


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
