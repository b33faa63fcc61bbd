"""Known wrong versions of `vit_patches` that take away dimensions of size 1."""

from grader.kit import Mistake

MISTAKES = [
    Mistake(
        id,
        find=find,
        replace=f"{replace}.squeeze()",
        says=f"{name} takes every dimension of size 1 off its result (squeeze() without a dimension, for "
        f"example). A batch, channels, or an image of one patch may have that size: the result always has "
        f"{dimensions} dimensions.",
    )
    for id, name, find, replace, dimensions in (
        (
            "patches-squeezed",
            "patchify",
            "return x.reshape(batch, rows * columns, channels * patch_size**2)",
            "return x.reshape(batch, rows * columns, channels * patch_size**2)",
            "three",
        ),
        (
            "images-squeezed",
            "unpatchify",
            "return x.reshape(batch, -1, height, width)",
            "return x.reshape(batch, -1, height, width)",
            "four",
        ),
        (
            "tokens-squeezed",
            "PatchEmbedding",
            "return x + self.position_embedding",
            "return (x + self.position_embedding)",
            "three",
        ),
    )
]
