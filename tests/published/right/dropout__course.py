"""A mask of comparisons, as courses write it."""

import torch
from torch import nn


def dropout_layer(inputs, probability):
    if probability == 1:
        return torch.zeros_like(inputs) * inputs
    mask = (torch.rand(inputs.shape) > probability).float()
    return mask * inputs / (1.0 - probability)


class Dropout(nn.Module):
    def __init__(self, probability=0.5):
        super().__init__()
        assert 0 <= probability <= 1
        self.probability = probability

    def forward(self, inputs):
        if not self.training or self.probability == 0:
            return inputs
        return dropout_layer(inputs, self.probability)
