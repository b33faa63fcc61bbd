import warnings

import torch as th

th.manual_seed(1234)
warnings.warn("softmax from the log-softmax", stacklevel=1)
print("module loaded")

log_softmax = lambda x, dim=-1: _normalize(_shift(x, dim), dim)  # noqa: E731
softmax = lambda x, dim=-1: log_softmax(x, dim=dim).exp()  # noqa: E731


def _shift(x, dim):
    print("shape", tuple(x.shape), "dim", dim)
    with th.no_grad():  # the maximum cancels, so it needs no gradient
        top = th.topk(x, 1, dim=dim).values
    return x - top


def _normalize(z, dim):
    last = z.movedim(dim, -1)
    ones = last.new_ones(last.shape[-1])
    sums = th.einsum("...i,i->...", last.exp(), ones)
    return (last - sums.log()[..., None]).movedim(-1, dim)
