"""Images as tokens: cut into patches, each of which becomes one vector, as in the Vision Transformer (ViT).

From "An Image is Worth 16x16 Words" (Dosovitskiy et al., 2020). An encoder as for text comes after it.
Forbidden: F.unfold, F.fold, pixel shuffle and unshuffle, as functions and as modules. Allowed: everything
else, also Tensor.unfold and a convolution.
"""

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
    raise NotImplementedError


def unpatchify(
    patches: Float[Tensor, "batch patches patch_dim"], patch_size: int, image_size: tuple[int, int]
) -> Float[Tensor, "batch channels height width"]:
    """The way back: the images that patchify has cut so.

    image_size: (height, width). The sizes fit: patch_size divides both, there are as many patches as that
    makes, and patch_dim is a multiple of patch_size^2.

    dtype (any) and device stay, whatever the default is. Gradients reach patches. patches is not modified.
    """
    raise NotImplementedError


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
        raise NotImplementedError

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
        raise NotImplementedError
