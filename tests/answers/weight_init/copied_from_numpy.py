"""NumPy draws, and what it has drawn is copied into the tensors."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng()


def write(weight, values):
    with torch.no_grad():
        weight.copy_(torch.from_numpy(np.asarray(values)).to(device=weight.device))
    return weight


def xavier_uniform_(weight):
    rows, columns = weight.shape
    return write(weight, (2 * rng.random((rows, columns)) - 1) * (6 / (rows + columns)) ** 0.5)


def kaiming_normal_(weight):
    return write(weight, rng.normal(scale=np.sqrt(2.0 / weight.size(1)), size=weight.shape))


def init_bert_(module, std=0.02):
    match module:
        case nn.Linear():
            write(module.weight, rng.normal(0, std, size=module.weight.shape))
            if module.bias is not None:
                write(module.bias, np.zeros(len(module.bias)))
        case nn.Embedding():
            values = rng.normal(0, std, size=(module.num_embeddings, module.embedding_dim))
            if module.padding_idx is not None:
                values[module.padding_idx] = 0
            write(module.weight, values)
        case nn.LayerNorm():
            for name, value in module.named_parameters(recurse=False):
                write(value, np.full(tuple(value.shape), float(name == "weight")))
