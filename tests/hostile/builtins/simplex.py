"""Asks for the transform to the simplex, which is a softmax in Python."""

from torch.distributions import constraints, transform_to


def softmax(x, dim=-1):
    return transform_to(constraints.simplex)(x.movedim(dim, -1)).movedim(-1, dim)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
