"""The hidden layer cut into slices whose results add up, as in tensor parallelism."""

from torch import Tensor, nn
from torch.nn import functional as F

CHOICES = dict(relu=nn.ReLU, gelu=nn.GELU, gelu_tanh=lambda: nn.GELU(approximate="tanh"))


class FeedForward(nn.Module):
    def __init__(
        self, hidden_size: int, intermediate_size: int, activation: str = "relu", dropout: float = 0.0
    ):
        super().__init__()
        try:
            self.activation = CHOICES[activation]()
        except KeyError as error:
            raise ValueError(f"activation {activation!r}, known are {sorted(CHOICES)}") from error
        self.add_module("up_proj", nn.Linear(hidden_size, intermediate_size))
        self.add_module("down_proj", nn.Linear(intermediate_size, hidden_size))
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x: Tensor) -> Tensor:
        total = self.down_proj.bias
        ups = zip(self.up_proj.weight.split(4, dim=0), self.up_proj.bias.split(4), strict=True)
        for (weight, bias), down in zip(ups, self.down_proj.weight.split(4, dim=1), strict=True):
            total = total + self.activation(F.linear(x, weight, bias)) @ down.T
        return self.drop(total)
