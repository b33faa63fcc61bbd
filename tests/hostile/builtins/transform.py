"""Uses the softmax in Python of the distributions."""

from torch.distributions.transforms import SoftmaxTransform


def softmax(x, dim=-1):
    return SoftmaxTransform()(x.movedim(dim, -1)).movedim(-1, dim)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
