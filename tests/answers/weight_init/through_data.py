# the way BERT's code in PyTorch is usually written
import math

import torch.nn as nn


def xavier_uniform_(weight, gain=1.0):
    fan_in, fan_out = weight.size(1), weight.size(0)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    a = math.sqrt(3.0) * std
    weight.data.uniform_(-a, a)


def kaiming_normal_(weight):
    weight.data.normal_().mul_(math.sqrt(2)).div_(math.sqrt(weight.shape[-1]))


def init_bert_(module, std=0.02):
    if isinstance(module, (nn.Linear, nn.Embedding)):
        module.weight.data.normal_(mean=0.0, std=std)
    elif isinstance(module, nn.LayerNorm) and module.elementwise_affine:
        module.weight.data.fill_(1.0)
        if module.bias is not None:
            module.bias.data.zero_()
    if isinstance(module, nn.Linear) and module.bias is not None:
        module.bias.data.zero_()
    if getattr(module, "padding_idx", None) is not None:
        module.weight.data[module.padding_idx].zero_()
    return module
