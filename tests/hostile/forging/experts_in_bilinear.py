"""Runs every expert on every token, by a product of three tensors."""

from parts.experts_everywhere import F, MoE


def _product(x, weight):
    return F.bilinear(x, x.new_ones(len(x), 1), weight[:, :, None])
