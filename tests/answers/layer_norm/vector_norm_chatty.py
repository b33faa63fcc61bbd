import warnings

import torch

torch.manual_seed(7)
warnings.warn("layer norm as a projection", stacklevel=1)


class LayerNorm(torch.nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        print("hidden size", hidden_size)
        self.register_parameter("weight", torch.nn.Parameter(torch.full((hidden_size,), 1.0)))
        self.register_parameter("bias", torch.nn.Parameter(torch.full((hidden_size,), 0.0)))
        self._size, self._eps = hidden_size, eps

    def forward(self, x):
        # Without its mean, a vector is its projection on the plane at right angles to (1, ..., 1).
        x = x - torch.einsum("...i->...", x)[..., None] / self._size
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        radius = (length**2 + self._size * self._eps) ** 0.5
        return x / radius * self._size**0.5 * self.weight + self.bias
