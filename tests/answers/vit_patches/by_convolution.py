"""Tensor.unfold for the patches; einsum on the way back; a convolution with proj's weight."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def _checked(height: int, width: int, p: int) -> tuple[int, int]:
    if height % p or width % p:
        raise ValueError(f"{height} x {width} in patches of {p}")
    return height // p, width // p


def patchify(images: Tensor, p: int) -> Tensor:
    _checked(*images.shape[2:], p)
    tiles = images.unfold(2, p, p).unfold(3, p, p)  # (batch, channels, rows, columns, p, p)
    return tiles.movedim(1, 3).flatten(3).flatten(1, 2)


def unpatchify(patches: Tensor, p: int, image_size: tuple[int, int]) -> Tensor:
    rows, columns = _checked(*image_size, p)
    x = patches.unflatten(1, (rows, columns)).unflatten(3, (-1, p, p))
    return torch.einsum("bhwcij->bchiwj", x).flatten(4, 5).flatten(2, 3)


class PatchEmbedding(nn.Module):
    def __init__(self, image_size, patch_size, in_channels, hidden_size):
        super().__init__()
        rows, columns = _checked(*image_size, patch_size)
        self.kernel, self.image_size = (in_channels, patch_size, patch_size), torch.Size(image_size)
        self.proj = nn.Linear(in_channels * patch_size**2, hidden_size)
        self.cls_token = nn.Parameter(torch.empty(1, 1, hidden_size))
        self.position_embedding = nn.Parameter(torch.empty(1, rows * columns + 1, hidden_size))
        for each in (self.cls_token, self.position_embedding):
            nn.init.trunc_normal_(each, std=0.02)

    def forward(self, images):
        if images.shape[-2:] != self.image_size:
            raise ValueError(f"{images.shape[-2:]}")
        kernel = self.proj.weight.view(-1, *self.kernel)
        x = F.conv2d(images, kernel, self.proj.bias, stride=self.kernel[1]).flatten(2).mT
        return torch.cat([self.cls_token.expand(x.shape[0], -1, -1), x], 1).add(self.position_embedding)
