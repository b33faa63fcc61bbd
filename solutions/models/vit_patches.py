"""Images as tokens: cut into patches, each of which becomes one vector, as in the Vision Transformer (ViT).

From "An Image is Worth 16x16 Words" (Dosovitskiy et al., 2020). An encoder as for text comes after it.
Forbidden: F.unfold, F.fold, pixel shuffle and unshuffle, as functions and as modules. Allowed: everything
else, also Tensor.unfold and a convolution.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def patchify(
    images: Float[Tensor, "batch channels height width"], patch_size: int
) -> Float[Tensor, "batch patches patch_dim"]:
    """Cut images into square patches: row by row from the top left, each flattened.

    patch_dim is channels * patch_size^2, in the order (channel, row, column), that of a convolution's weight.
    Height and width may differ. Raises ValueError (or AssertionError) if patch_size does not divide both.

    dtype (any) and device stay, whatever the default is. Gradients reach images. images is not modified.
    """
    batch, channels, height, width = images.shape
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not fit into {height} x {width}")
    rows, columns = height // patch_size, width // patch_size
    x = images.reshape(batch, channels, rows, patch_size, columns, patch_size)
    # A reshape alone would keep pixels of one image row together, over several patches.
    x = x.permute(0, 2, 4, 1, 3, 5)  # (batch, rows, columns, channels, patch_size, patch_size)
    return x.reshape(batch, rows * columns, channels * patch_size**2)


def unpatchify(
    patches: Float[Tensor, "batch patches patch_dim"], patch_size: int, image_size: tuple[int, int]
) -> Float[Tensor, "batch channels height width"]:
    """The way back: the images that patchify has cut so.

    image_size: (height, width). The sizes fit: patch_size divides both, there are as many patches as that
    makes, and patch_dim is a multiple of patch_size^2.

    dtype (any) and device stay, whatever the default is. Gradients reach patches. patches is not modified.
    """
    batch = patches.shape[0]
    height, width = image_size
    rows, columns = height // patch_size, width // patch_size
    x = patches.reshape(batch, rows, columns, -1, patch_size, patch_size)
    x = x.permute(0, 3, 1, 4, 2, 5)  # (batch, channels, rows, patch_size, columns, patch_size)
    return x.reshape(batch, -1, height, width)


class PatchEmbedding(nn.Module):
    """A class token and the projected patches of an image, with a learned position for each of them.

    Parameters, and no others (buffers are free): `proj`, an `nn.Linear(in_channels * patch_size^2,
    hidden_size)`; `cls_token` of shape (1, 1, hidden_size); `position_embedding` of shape (1, patches + 1,
    hidden_size). Initial values are free.
    """

    def __init__(
        self, image_size: tuple[int, int], patch_size: int, in_channels: int, hidden_size: int
    ) -> None:
        """image_size: (height, width), which may differ.

        Raises ValueError (or AssertionError) if patch_size does not divide both.
        """
        super().__init__()
        height, width = image_size
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError(f"patches of {patch_size} do not fit into {height} x {width}")
        self.image_size = (height, width)
        self.patch_size = patch_size
        patches = (height // patch_size) * (width // patch_size)
        self.proj = nn.Linear(in_channels * patch_size**2, hidden_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, hidden_size))
        self.position_embedding = nn.Parameter(0.02 * torch.randn(1, patches + 1, hidden_size))

    def forward(
        self, images: Float[Tensor, "batch in_channels height width"]
    ) -> Float[Tensor, "batch patches+1 hidden_size"]:
        """The class token, then the projected patches in the order of patchify, plus the positions of all.

        The class token has the first position. Raises ValueError (or AssertionError) if images are of another
        height or width than image_size; another number of channels is not asked.

        The result has the dtype of images and the parameters (float32 or float64). Gradients reach images and
        every parameter. images is not modified. Nothing lands on the default device where images and the
        parameters are on another.
        """
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, {self.image_size} are expected")
        x = self.proj(patchify(images, self.patch_size))  # (batch, patches, hidden_size)
        cls_token = self.cls_token.expand(len(x), -1, -1)  # (batch, 1, hidden_size)
        x = torch.cat((cls_token, x), dim=1)  # (batch, patches + 1, hidden_size)
        return x + self.position_embedding
