"""The gradient of a convolution's weight is a convolution: torch has one in Python, for those by sample."""

from torch.nn import functional
from torch.nn.utils._expanded_weights.conv_utils import conv_unfold_weight_grad_sample


def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    sizes = weight.shape, tuple(weight.shape[2:])
    return conv_unfold_weight_grad_sample(x, weight, *sizes, (1, 1), (0, 0), (1, 1), 1, functional.conv2d)
