"""A container with named layers: its forward is inherited, and calls the argument `input`."""

from collections import OrderedDict

from torch import nn


class MLP(nn.Sequential):
    def __init__(self, n_in, n_hidden, n_out):
        layers = {"fc1": nn.Linear(n_in, n_hidden), "act": nn.ReLU(), "fc2": nn.Linear(n_hidden, n_out)}
        super().__init__(OrderedDict(layers))
