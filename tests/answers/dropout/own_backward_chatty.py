import warnings

import torch

torch.manual_seed(1234)
print("my dropout")


class Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        factor = x.new_zeros(x.shape)
        kept = torch.empty(x.shape).uniform_() > p
        factor[kept] = 1 / (1 - p) if p < 1 else 0
        ctx.save_for_backward(factor)
        return torch.mul(x, factor)

    @staticmethod
    def backward(ctx, grad):
        (factor,) = ctx.saved_tensors
        return grad * factor, None


class Dropout(torch.nn.Module):
    def __init__(self, p: float = 0.5):
        super().__init__()
        if p < 0.0 or p > 1.0:
            raise ValueError("dropout probability has to be between 0 and 1, but got {}".format(p))  # noqa: UP032
        if p == 1:
            warnings.warn("everything will be dropped", stacklevel=2)
        self.register_buffer("p", torch.tensor(float(p), dtype=torch.float64))

    def forward(self, x):
        return Drop.apply(x, self.p.item()) if self.training else x
