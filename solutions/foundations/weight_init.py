"""How weights start: as Xavier Glorot (2010), Kaiming He (2015) and BERT (Devlin et al. 2018) have them.

Forbidden: torch.nn.init, also through a module's reset_parameters(), which nn.Linear, nn.Embedding and most
other layers call when they are made (so make none here, not for a try either). A tensor's own methods that
draw, torch.randn, NumPy's generators... are allowed.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn


@torch.no_grad()
def xavier_uniform_(weight: Float[Tensor, "fan_out fan_in"]) -> Tensor:
    """Fill `weight` in place, uniformly between ±sqrt(6 / (fan_in + fan_out)).

    weight: that of a linear layer, as PyTorch stores it, with float32 or float64; any sizes from 1 on, and
    perhaps not contiguous. It may be a parameter, or a view (some rows or columns) of a larger weight, which
    holds the new values then and is left as it is elsewhere; so write into the memory that is there. What it
    held before (NaN, say) does not matter. A parameter stays a leaf, and whether it requires a gradient stays
    too; so does PyTorch's grad mode. Nothing is made on the default device if weight is on another one.

    Each element is drawn by itself: independently of the others, and anew at each call. What random numbers
    you use is up to you, and so is what you return.
    """
    fan_out, fan_in = weight.shape
    # A uniform on ±limit has the variance limit² / 3, so this one has 2 / (fan_in + fan_out): between
    # 1 / fan_in, which keeps the size of activations, and 1 / fan_out, which keeps that of gradients.
    limit = math.sqrt(6 / (fan_in + fan_out))
    return weight.uniform_(-limit, limit)


@torch.no_grad()
def kaiming_normal_(weight: Float[Tensor, "fan_out fan_in"]) -> Tensor:
    """Fill `weight` in place from the normal distribution of mean 0 and variance 2 / fan_in, as for a ReLU.

    All that is said of `xavier_uniform_` holds here too.
    """
    _, fan_in = weight.shape
    # ReLU leaves half of the mean square: the 2 makes up for it.
    std = math.sqrt(2 / fan_in)
    return weight.normal_(0.0, std)


@torch.no_grad()
def init_bert_(module: nn.Module, std: float = 0.02) -> None:
    """Start one module in place; `model.apply(init_bert_)` calls it for every module of a model.

    nn.Linear: weight from the normal distribution of mean 0 and standard deviation `std` (above 0; nothing is
    cut off), bias 0. nn.Embedding: weight alike, but its row padding_idx is 0, if it has one. nn.LayerNorm:
    weight 1, bias 0. A bias may be missing (None), and with LayerNorm the weight too. Subclasses of the three
    are treated like them; all other modules are left as they are. Parameters stay the same objects, since
    others may hold them too (tied weights, say). For the rest what is said of `xavier_uniform_` holds.
    """
    if isinstance(module, nn.Linear | nn.Embedding):
        module.weight.normal_(0.0, std)
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        module.weight[module.padding_idx].zero_()
    if isinstance(module, nn.LayerNorm) and module.weight is not None:
        module.weight.fill_(1.0)
    if isinstance(module, nn.Linear | nn.LayerNorm) and module.bias is not None:
        module.bias.zero_()
