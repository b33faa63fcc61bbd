"""Tensor.unfold twice; back by split and two torch.cat per axis; the projection by einsum on the
six-dimensional windows.
"""

import torch
from torch import nn


def _windows(images, p):
    if images.shape[2] % p != 0 or images.shape[3] % p != 0:
        raise ValueError(f"patches of {p} in {tuple(images.shape)}")
    return images.unfold(2, p, p).unfold(3, p, p)  # batch, channel, down, across, row, column


def patchify(images, patch_size):
    w = torch.movedim(_windows(images, patch_size), 1, 3)
    b, down, across, c, p, q = w.shape
    return w.clone(memory_format=torch.contiguous_format).view(b, down * across, c * p * q)


def unpatchify(patches, patch_size, image_size):
    across = image_size[1] // patch_size
    b, n, dim = patches.shape
    tiles = [t.reshape(b, dim // patch_size**2, patch_size, patch_size) for t in torch.unbind(patches, dim=1)]
    strips = [torch.cat(tiles[k : k + across], dim=3) for k in range(0, n, across)]
    return torch.cat(strips, dim=2)


class PatchEmbedding(nn.Module):
    def __init__(self, image_size, patch_size, in_channels, hidden_size):
        super().__init__()
        for side in image_size:
            if side % patch_size != 0:
                raise ValueError("image_size")
        self.image_size = list(image_size)
        self.patch_size = patch_size
        self.proj = nn.Linear(in_channels * patch_size**2, hidden_size)
        self.cls_token = nn.Parameter(torch.empty(1, 1, hidden_size))
        count = 1
        for side in image_size:
            count *= side // patch_size
        self.position_embedding = nn.Parameter(torch.empty(1, count + 1, hidden_size))
        nn.init.trunc_normal_(self.cls_token, std=0.02)
        nn.init.trunc_normal_(self.position_embedding, std=0.02)

    def forward(self, images):
        if list(images.shape[2:]) != self.image_size:
            raise ValueError("images of another size")
        p = self.patch_size
        weight = self.proj.weight.view(self.proj.out_features, -1, p, p)
        seen = torch.einsum("bcyxij,hcij->byxh", _windows(images, p), weight).flatten(1, 2)
        first, rest = self.position_embedding.split([1, seen.size(1)], dim=1)
        start = (self.cls_token + first).expand(seen.size(0), -1, -1)
        return torch.hstack((start, seen + (self.proj.bias + rest)))
