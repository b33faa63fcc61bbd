"""Group normalization: mean 0 and variance 1 for each sample, over groups of channels and all positions.

Between layer norm (one group) and instance norm (a group for each channel); nothing depends on the batch (Wu
and He 2018, https://arxiv.org/abs/1803.08494). Forbidden: the built-in group, layer, instance, batch and RMS
norms; var, var_mean and std are allowed.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class GroupNorm(nn.Module):
    """weight * (x - mean) / sqrt(variance + eps) + bias, with mean and variance of each sample's groups.

    Parameters: `weight`, at first ones, and `bias`, at first zeros, both (num_channels,): one for each
    channel, not for each group. No others.
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5) -> None:
        """The channels are cut into `num_groups` blocks of neighbours, all of the same size. ValueError (or
        AssertionError) if `num_groups` does not divide `num_channels`. `eps` is added to the variance, inside
        the root.
        """
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"{num_groups} groups do not divide {num_channels} channels")
        self.num_groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels))
        self.bias = nn.Parameter(torch.zeros(num_channels))

    def forward(self, x: Float[Tensor, "batch num_channels ..."]) -> Float[Tensor, "batch num_channels ..."]:
        """`x` normalized: (batch, channels), (batch, channels, length), (batch, channels, height, width), or
        with any number of further dimensions; of any layout (transposed, say).

        A group of a sample has n values: its channels at all positions, at least two. Mean and biased
        variance (divided by n) are theirs. Training and evaluation are the same.
        The result has the dtype and the device of `x` and the parameters (float32 or float64; float64 is
        computed in float64) and is accurate also where the mean is large beside the spread (1e3 plus noise
        of size 1, in float32). `x` is not modified. The gradients of `x`, `weight` and `bias` are the true
        ones: they flow through mean and variance too. A group of equal values gives the bias (to 1e-4, in
        float64), with finite gradients.
        """
        groups = x.reshape(len(x), self.num_groups, -1)  # (batch, num_groups, n)
        mean = groups.mean(dim=-1, keepdim=True)
        variance = groups.var(dim=-1, correction=0, keepdim=True)
        normalized = (groups - mean) / torch.sqrt(variance + self.eps)
        normalized = normalized.reshape(x.shape)
        columns = (-1, *[1] * (x.dim() - 2))  # (num_channels, 1, ...): broadcasts over the positions
        return self.weight.view(columns) * normalized + self.bias.view(columns)
