import torch
from torch import nn


class TwoLayers(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w1, b1, w2, b2):
        h = (x @ w1.T + b1).clamp_(min=0)
        ctx.save_for_backward(x, w1, h, w2)
        return h @ w2.T + b2

    @staticmethod
    def backward(ctx, g):
        x, w1, h, w2 = ctx.saved_tensors
        gh = (g @ w2).masked_fill(h <= 0, 0)
        flat = [t.reshape(-1, t.shape[-1]) for t in (x, gh, h, g)]
        return (
            gh @ w1,
            flat[1].T @ flat[0],
            flat[1].sum(0),
            flat[3].T @ flat[2],
            flat[3].sum(0),
        )


class MLP(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(input_size, hidden_size), nn.Linear(hidden_size, output_size)

    def forward(self, x):
        return TwoLayers.apply(x, self.fc1.weight, self.fc1.bias, self.fc2.weight, self.fc2.bias)
