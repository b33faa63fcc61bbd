"""Profiles a thread of its own."""

import threading

import torch

threading.setprofile(lambda frame, event, argument: None)
_thread = threading.Thread(target=print)
_thread.start()
_thread.join()


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
