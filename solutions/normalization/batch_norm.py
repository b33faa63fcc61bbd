"""Batch normalization: mean 0 and variance 1 for each channel over the batch, then learned scale and shift.

Evaluation uses running averages of the training batches instead, so that a sample's result does not depend
on its batch (Ioffe and Szegedy 2015, https://arxiv.org/abs/1502.03167). Forbidden: the built-in batch,
instance, group, layer and RMS norms.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class BatchNorm(nn.Module):
    """weight * (x - mean) / sqrt(variance + eps) + bias, with a mean and a variance for each channel.

    Parameters: `weight`, at first ones, and `bias`, at first zeros, both (num_features,); no others.
    Buffers: `running_mean`, at first zeros, and `running_var`, at first ones, both (num_features,). They are
    in the state dict and never require a gradient. More buffers are allowed.
    """

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        """`eps` is added to the variance, inside the root. `momentum` is the part of the *new* value:
        running = (1 - momentum) * running + momentum * new.
        """
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x: Float[Tensor, "batch num_features ..."]) -> Float[Tensor, "batch num_features ..."]:
        """`x` normalized: (batch, channels), (batch, channels, length) or (batch, channels, height, width).

        In training with the mean and the biased variance (divided by n) of the channel, over the batch and
        all positions, n values in all. The running averages take in this mean, and the *unbiased* variance
        (divided by n - 1). n is at least 2.
        In evaluation with the running averages, which stay as they are; a batch of one works.
        The result has the dtype of `x`, the parameters and the buffers (float32 or float64) and is accurate
        also where a channel's mean is large beside its spread (1e3 plus noise of size 1, in float32); `x` is
        not modified. The gradients of `x`, `weight` and `bias` are the true ones: in training they flow
        through the batch's mean and variance too, never into the running averages or through them into
        earlier batches. A channel of equal values gives its bias in training, with finite gradients.
        """
        dims = [dim for dim in range(x.dim()) if dim != 1]  # all but the channels
        if self.training:
            mean = x.mean(dim=dims)  # (num_features,)
            variance = x.var(dim=dims, correction=0)  # (num_features,)
            # Without no_grad the averages would hold on to the graphs of all batches so far.
            with torch.no_grad():
                n = x.numel() // x.shape[1]
                # The batch is a sample: n / (n - 1) makes its variance an unbiased estimate of the data's.
                unbiased = variance * n / (n - 1)
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (unbiased - self.running_var)
        else:
            mean = self.running_mean
            variance = self.running_var
        columns = (-1, *[1] * (x.dim() - 2))  # broadcasts over the positions
        normalized = (x - mean.view(columns)) / torch.sqrt(variance.view(columns) + self.eps)
        return self.weight.view(columns) * normalized + self.bias.view(columns)
