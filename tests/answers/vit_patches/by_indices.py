"""A table of indices into the flattened image, gathered one way and scattered the other."""

import torch
from torch import nn


def places(channels, height, width, size, device):
    """(patches, patch_dim): where each number of each patch stands in an image."""
    if (height % size, width % size) != (0, 0):
        raise AssertionError("sizes")
    c, i, j = (torch.arange(n, device=device) for n in (channels, size, size))
    inside = c[:, None, None] * height * width + i[:, None] * width + j
    tops, lefts = (torch.arange(0, n, size, device=device) for n in (height, width))
    corners = tops[:, None] * width + lefts
    return corners.reshape(-1, 1) + inside.reshape(1, -1)


def patchify(images, patch_size):
    table = places(*images.shape[1:], patch_size, images.device)
    return images.flatten(1)[:, table]


def unpatchify(patches, patch_size, image_size):
    channels = patches.shape[2] // patch_size**2
    table = places(channels, *image_size, patch_size, patches.device)
    order = torch.argsort(table.flatten())
    return patches.flatten(1)[:, order].view(-1, channels, *image_size)


class PatchEmbedding(nn.Module):
    def __init__(self, image_size, patch_size, in_channels, hidden_size):
        super().__init__()
        table = places(in_channels, *image_size, patch_size, "cpu")
        self.register_buffer("table", table, persistent=False)
        self.image_size = tuple(image_size)
        self.proj = nn.Linear(table.shape[1], hidden_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, hidden_size))
        self.position_embedding = nn.Parameter(torch.zeros(1, 1 + len(table), hidden_size))

    def forward(self, images):
        if images.shape[2:] != self.image_size:
            raise ValueError("images of another size")
        tokens = self.proj(images.flatten(1)[:, self.table])
        result = self.position_embedding.repeat(len(images), 1, 1)
        first, rest = result.split([1, tokens.shape[1]], 1)
        return torch.cat([first + self.cls_token, rest + tokens], 1)
