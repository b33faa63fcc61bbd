from collections import OrderedDict

from torch import nn


class MLP(nn.Sequential):
    def __init__(self, input_size, hidden_size, output_size):
        layers = OrderedDict()
        layers["fc1"] = nn.Linear(input_size, hidden_size)
        layers["act"] = nn.ReLU(inplace=True)
        layers["fc2"] = nn.Linear(hidden_size, output_size)
        super().__init__(layers)

    def forward(self, x):
        return super().forward(x)
