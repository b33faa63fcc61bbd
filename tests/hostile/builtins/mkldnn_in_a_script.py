"""Asks the kernels of oneDNN in a text that TorchScript compiles."""

import torch

_text = """
def linear(x, weight):
    return torch.ops.mkldnn._linear_pointwise(x, weight, None, "none", [], "")
"""
_compiled = torch.jit.CompilationUnit(_text)


def softmax(x, dim=-1):
    return _compiled.linear(x.float(), torch.eye(x.shape[-1]))


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
