"""Code that is made from a text, a named tuple and a partial."""

from collections import namedtuple
from functools import partial, reduce

_Parts = namedtuple("_Parts", ["top", "bottom"])
exec("def _quotient(parts):\n    return parts.top / parts.bottom")
_exps = eval("lambda x, dim: (x - x.amax(dim=dim, keepdim=True)).exp()")


def _softmax(dim, x):
    exps = _exps(x, dim)
    return _quotient(_Parts(exps, reduce(lambda a, b: a + b, exps.split(1, dim))))


def softmax(x, dim=-1):
    return partial(_softmax, dim)(x)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
