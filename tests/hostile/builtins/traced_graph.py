"""Runs a traced graph in another thread, without autograd."""

import threading

import torch

_found = []
_traced = torch.jit.trace(lambda t: torch.nn.functional.normalize(t).softmax(-1), torch.ones(2, 3))


def softmax(x, dim=-1):
    thread = threading.Thread(target=lambda: _found.append(_traced(x)))
    thread.start()
    thread.join()
    return _found.pop()


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
