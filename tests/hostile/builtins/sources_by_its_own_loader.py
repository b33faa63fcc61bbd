"""Has the loader of a module run its sources a second time, under its own name."""

import types

import torch._decomp.decompositions as _decompositions

_module = types.ModuleType(_decompositions.__name__)
_decompositions.__loader__.exec_module(_module)


def softmax(x, dim=-1):
    return _module._softmax(x, dim, False)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
