"""Index tables and gather-like NumPy indexing; the embedding is a strided convolution with the linear
layer's weight.
"""

import torch
import torch.nn.functional as F
from torch import nn


def _places(height, width, p, device):
    grid = torch.arange(height * width, device=device).view(height // p, p, width // p, p)
    return grid.transpose(1, 2).reshape((height // p) * (width // p), p * p)


def patchify(images, patch_size):
    b, c, height, width = images.shape
    assert height % patch_size == 0 and width % patch_size == 0
    places = _places(height, width, patch_size, images.device)
    picked = images.reshape(b, c, height * width)[:, :, places]
    return picked.permute(0, 2, 1, 3).reshape(b, places.size(0), c * patch_size * patch_size)


def unpatchify(patches, patch_size, image_size):
    height, width = image_size
    places = _places(height, width, patch_size, patches.device)
    back = torch.empty(height * width, dtype=torch.int64, device=patches.device)
    back[places.reshape(-1)] = torch.arange(height * width, device=patches.device)
    b, n, dim = patches.shape
    area = patch_size * patch_size
    rows = patches.reshape(b, n, dim // area, area).transpose(1, 2).reshape(b, dim // area, n * area)
    return rows[:, :, back].view(b, dim // area, height, width)


class PatchEmbedding(nn.Module):
    def __init__(self, image_size, patch_size, in_channels, hidden_size):
        super().__init__()
        self.height, self.width = image_size
        assert self.height % patch_size == 0 and self.width % patch_size == 0
        self.patch_size = patch_size
        n = (self.height // patch_size) * (self.width // patch_size)
        self.proj = nn.Linear(in_channels * patch_size**2, hidden_size)
        self.register_parameter("cls_token", nn.Parameter(torch.zeros(1, 1, hidden_size)))
        self.register_parameter(
            "position_embedding", nn.Parameter(torch.empty(1, n + 1, hidden_size).normal_())
        )

    def forward(self, images):
        if images.size(2) != self.height or images.size(3) != self.width:
            raise ValueError("size")
        p = self.patch_size
        kernel = self.proj.weight.unflatten(1, (-1, p, p))
        maps = F.conv2d(images, kernel, self.proj.bias, stride=p)
        tokens = torch.cat([self.cls_token.expand(images.size(0), 1, -1), maps.flatten(2).mT], dim=1)
        return tokens + self.position_embedding
