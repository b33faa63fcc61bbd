"""Loops over rows and columns of patches, slices in and out."""

import torch
from torch import nn


def patchify(images, patch_size):
    h, w = images.shape[-2:]
    if h % patch_size or w % patch_size:
        raise ValueError("sizes")
    return torch.stack(
        [
            images[:, :, i : i + patch_size, j : j + patch_size].flatten(1)
            for i in range(0, h, patch_size)
            for j in range(0, w, patch_size)
        ],
        dim=1,
    )


def unpatchify(patches, patch_size, image_size):
    w = image_size[1]
    tiles = patches.unflatten(2, (-1, patch_size, patch_size)).unbind(1)
    across = w // patch_size
    lines = [torch.cat(tiles[i : i + across], dim=3) for i in range(0, len(tiles), across)]
    return torch.cat(lines, dim=2)


class PatchEmbedding(nn.Module):
    def __init__(self, image_size, patch_size, in_channels, hidden_size):
        super().__init__()
        for size in image_size:
            assert size % patch_size == 0, f"{size} % {patch_size}"
        self.size, self.patch = list(image_size), patch_size
        count = image_size[0] * image_size[1] // patch_size**2
        self.position_embedding = nn.Parameter(torch.randn(1, count + 1, hidden_size))
        self.cls_token = nn.Parameter(torch.randn(1, 1, hidden_size))
        self.proj = nn.Linear(patch_size * patch_size * in_channels, hidden_size)

    def forward(self, images):
        assert list(images.shape[-2:]) == self.size, "another size"
        places = self.position_embedding
        patches = self.proj(patchify(images, self.patch)) + places[:, 1:]
        return torch.cat([(self.cls_token + places[:, :1]).repeat(len(images), 1, 1), patches], 1)
