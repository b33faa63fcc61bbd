"""Runs the compiled sources of torch itself."""

import importlib.util
import os

import torch

_path = os.path.join(os.path.dirname(torch.__file__), "_decomp", "decompositions.py")
_names = {"__name__": "mine", "__file__": _path}
exec(importlib.util.spec_from_file_location("mine", _path).loader.get_code("mine"), _names)


def softmax(x, dim=-1):
    return _names["_softmax"](x, dim, False)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
