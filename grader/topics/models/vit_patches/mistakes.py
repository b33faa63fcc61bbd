"""Known wrong versions of `vit_patches`."""

from grader.kit import Mistake

CUT = "x = images.reshape(batch, channels, rows, patch_size, columns, patch_size)"
MOVED = "x = x.permute(0, 2, 4, 1, 3, 5)  # (batch, rows, columns, channels, patch_size, patch_size)"
BACK = "x = x.permute(0, 3, 1, 4, 2, 5)  # (batch, channels, rows, patch_size, columns, patch_size)"
PARTS = "x = patches.reshape(batch, rows, columns, -1, patch_size, patch_size)"
FLAT = "return x.reshape(batch, rows * columns, channels * patch_size**2)"
UNFIT = """\
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not fit into {height} x {width}")
    rows, columns = height // patch_size, width // patch_size
    x = images"""
UNFIT_IN_INIT = """\
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError(f"patches of {patch_size} do not fit into {height} x {width}")
        self.image_size"""
OTHER = """\
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, {self.image_size} are expected")
"""
JOINED = "x = torch.cat((cls_token, x), dim=1)  # (batch, patches + 1, hidden_size)"
SUMMED = "return x + self.position_embedding"
PROJECTED = "x = self.proj(patchify(images, self.patch_size))  # (batch, patches, hidden_size)"
EXPANDED = "cls_token = self.cls_token.expand(len(x), -1, -1)"
COUNT = "patches = (height // patch_size) * (width // patch_size)"

MISTAKES = [
    Mistake(
        "reshape-without-permute",
        find=MOVED,
        replace="pass",
        says="You reshape straight to patches. A reshape keeps the order of the numbers in memory, so a "
        "patch then holds pieces of image rows: cut height and width in two each, permute, then flatten.",
    ),
    Mistake(
        "way-back-without-permute",
        find=BACK,
        replace="pass",
        says="You reshape patches straight to images. Pixels of one image row stand in several patches: "
        "permute to (batch, channels, rows, patch_size, columns, patch_size) first.",
    ),
    Mistake(
        "channels-last",
        find=MOVED,
        replace="x = x.permute(0, 2, 4, 3, 5, 1)",
        says="You flatten a patch as (row, column, channel), as some image formats do. Here it is (channel, "
        "row, column), the order of a convolution's weight.",
    ),
    Mistake(
        "channels-last-on-the-way-back",
        find=PARTS,
        replace="x = patches.reshape(batch, rows, columns, patch_size, patch_size, -1).movedim(5, 3)",
        says="You read a patch as (row, column, channel) on the way back. It is (channel, row, column).",
    ),
    Mistake(
        "channels-not-moved",
        find=MOVED,
        replace="x = x.permute(0, 1, 2, 4, 3, 5)",
        says="Your channels stay in front of the patches, so one vector has patches of a single channel "
        "behind each other. Bring the channels behind the place of the patch before you flatten.",
    ),
    Mistake(
        "channels-not-moved-on-the-way-back",
        find=PARTS,
        replace="x = patches.reshape(batch, -1, rows, columns, patch_size, patch_size).movedim(1, 3)",
        says="You read the channels in front of the patches on the way back. They are inside of each patch.",
    ),
    Mistake(
        "columns-before-rows",
        find=MOVED,
        replace="x = x.permute(0, 2, 4, 1, 5, 3)",
        says="You flatten a patch column by column: each patch is transposed. Its rows come first.",
    ),
    Mistake(
        "columns-before-rows-on-the-way-back",
        find=BACK,
        replace="x = x.permute(0, 3, 1, 5, 2, 4)",
        says="You put patches back transposed, column by column.",
    ),
    Mistake(
        "patches-column-by-column",
        find=MOVED,
        replace="x = x.permute(0, 4, 2, 1, 3, 5)",
        says="Your patches go down the columns of the image. They go row by row, from left to right, as one "
        "reads.",
    ),
    Mistake(
        "patches-column-by-column-on-the-way-back",
        find=PARTS,
        replace="x = patches.reshape(batch, columns, rows, -1, patch_size, patch_size).transpose(1, 2)",
        says="You put patches back down the columns of the image. They go row by row.",
    ),
    Mistake(
        "height-and-width-exchanged",
        find="    height, width = image_size\n    rows",
        replace="    width, height = image_size\n    rows",
        says="You read image_size as (width, height) on the way back. It is (height, width).",
    ),
    Mistake(
        "square-grid-on-the-way-back",
        find="    height, width = image_size\n    rows, columns = height // patch_size, width // patch_size",
        replace="    rows = columns = int(patches.shape[1] ** 0.5)",
        also=(("return x.reshape(batch, -1, height, width)", "return x.flatten(4).flatten(2, 3)"),),
        says="You take the root of the number of patches for rows and columns, which holds for square "
        "images only. image_size tells both.",
    ),
    Mistake(
        "three-channels-on-the-way-back",
        find=PARTS,
        replace="x = patches.reshape(batch, rows, columns, 3, patch_size, patch_size)",
        says="You take it for granted that images have three channels. There are patch_dim / patch_size^2.",
    ),
    Mistake(
        "patches-in-float32",
        find=CUT,
        replace=CUT.replace("images", "images.float()"),
        says="patchify turns the images into float32. It moves numbers only: any dtype stays.",
    ),
    Mistake(
        "channels-flattened-apart",
        find=FLAT,
        replace="return x.reshape(batch, rows * columns, channels, patch_size**2)",
        says="Your patches keep a dimension for the channels. A patch is one vector: (batch, patches, "
        "channels * patch_size^2).",
    ),
    Mistake(
        "border-cut-off",
        find=UNFIT,
        replace="""\
    rows, columns = height // patch_size, width // patch_size
    images = images[:, :, : rows * patch_size, : columns * patch_size]
    x = images""",
        says="Where one of the sizes does not fit, you cut the rest off silently. Raise a ValueError.",
    ),
    Mistake(
        "only-the-height-checked",
        find=UNFIT,
        replace=UNFIT.replace(
            "height % patch_size != 0 or width % patch_size != 0", "height % patch_size != 0"
        ),
        says="patchify checks the height alone. A width that patch_size does not divide raises a "
        "ValueError, too.",
    ),
    Mistake(
        "size-unchecked",
        find=UNFIT,
        replace="    rows, columns = height // patch_size, width // patch_size\n    x = images",
        says="For sizes that patch_size does not divide, patchify raises an error of another kind: for "
        "example reshape's, which says nothing of patches. Check height and width, and raise a ValueError.",
    ),
    Mistake(
        "size-unchecked-in-the-constructor",
        find=UNFIT_IN_INIT,
        replace="        self.image_size",
        says="Your constructor accepts an image_size that patch_size does not divide. Raise a ValueError "
        "there, not only when an image comes.",
    ),
    Mistake(
        "only-the-height-checked-in-the-constructor",
        find=UNFIT_IN_INIT,
        replace=UNFIT_IN_INIT.replace(" or width % patch_size != 0", ""),
        says="Your constructor checks the height alone. A width that patch_size does not divide raises a "
        "ValueError, too.",
    ),
    Mistake(
        "product-checked",
        find=UNFIT_IN_INIT,
        replace=UNFIT_IN_INIT.replace(
            "height % patch_size != 0 or width % patch_size != 0", "height * width % patch_size**2"
        ),
        says="Your constructor checks the number of pixels alone. Height and width have to be multiples of "
        "patch_size each.",
    ),
    Mistake(
        "other-images-accepted",
        find=OTHER,
        replace="",
        says="Your embedding does not compare the images' size with image_size: another shape with as many "
        "patches would get positions that mean other places. Raise a ValueError.",
    ),
    Mistake(
        "number-of-patches-compared",
        find=OTHER,
        replace="""\
        height, width = images.shape[2:]
        if (height // self.patch_size) * (width // self.patch_size) + 1 != self.position_embedding.shape[1]:
            raise ValueError("another number of patches")
""",
        says="You compare the number of patches (or of pixels) alone. An image that is turned has as many, "
        "and gets positions that mean other places: compare height and width.",
    ),
    Mistake(
        "only-the-height-compared",
        find=OTHER,
        replace=OTHER.replace(
            "tuple(images.shape[2:]) != self.image_size", "len(images[0, 0]) != self.image_size[0]"
        ),
        says="Your embedding compares the height of images alone. Another width raises a ValueError, too.",
    ),
    Mistake(
        "square-images-only",
        find=COUNT,
        replace="patches = (height // patch_size) ** 2",
        says="You count (height / patch_size)² patches, which holds for square images only: rows times "
        "columns.",
    ),
    Mistake(
        "no-position-for-the-class-token",
        find="0.02 * torch.randn(1, patches + 1, hidden_size)",
        replace="0.02 * torch.randn(1, patches, hidden_size)",
        also=(
            (JOINED, "x = torch.cat((cls_token, x + self.position_embedding), dim=1)"),
            (SUMMED, "return x"),
        ),
        says="Your class token has no position. There are patches + 1 of them, and the first is the class "
        "token's.",
    ),
    Mistake(
        "class-token-without-its-position",
        find=JOINED,
        replace="x = torch.cat((cls_token, x + self.position_embedding[:, 1:]), dim=1)",
        also=((SUMMED, "return x"),),
        says="You add positions to the patches only. The class token gets the first one.",
    ),
    Mistake(
        "class-token-with-the-last-position",
        find=SUMMED,
        replace="return x + self.position_embedding.roll(1, 1)",
        says="Your class token gets the last position, and the patches those before it. The first position "
        "is the class token's.",
    ),
    Mistake(
        "positions-of-the-patches-from-the-first",
        find=JOINED,
        replace="x = torch.cat((cls_token, x + self.position_embedding[:, :-1]), dim=1)",
        also=((SUMMED, "return x"),),
        says="You add the first positions to the patches, and none to the class token. The first is the "
        "class token's, the second that of the first patch.",
    ),
    Mistake(
        "class-token-detached",
        find=EXPANDED,
        replace="cls_token = self.cls_token.detach().expand(len(x), -1, -1)",
        says="No gradient reaches your class token: for example, .data, .detach() or torch.tensor takes it "
        "out of the graph. It is learned.",
    ),
    Mistake(
        "class-token-of-zeros",
        find=EXPANDED,
        replace="cls_token = torch.zeros_like(x[:, :1])",
        says="Your class token is zero whatever cls_token is. Take the parameter.",
    ),
    Mistake(
        "class-token-last",
        find=JOINED,
        replace="x = torch.cat((x, cls_token), dim=1)",
        says="Your class token comes last. It comes first, in front of the patches.",
    ),
    Mistake(
        "class-token-left-out",
        find=JOINED,
        replace="pass",
        also=((SUMMED, "return x + self.position_embedding[:, 1:]"),),
        says="You leave out the class token: the result has patches + 1 tokens, and it is the first.",
    ),
    Mistake(
        "class-token-not-expanded",
        find=EXPANDED,
        replace="cls_token = self.cls_token",
        says="You join one class token to a batch of images. torch.cat does not broadcast: expand it over "
        "the batch.",
    ),
    Mistake(
        "positions-left-out",
        find=SUMMED,
        replace="return x",
        says="You never add the positions. Without them an encoder does not know where a patch was.",
    ),
    Mistake(
        "projection-without-a-bias",
        find="self.proj = nn.Linear(in_channels * patch_size**2, hidden_size)",
        replace="self.proj = nn.Linear(in_channels * patch_size**2, hidden_size, bias=False)",
        says="Your projection has no bias. ViT's has one: nn.Linear as it is.",
    ),
    Mistake(
        "convolution-for-the-projection",
        find="self.proj = nn.Linear(in_channels * patch_size**2, hidden_size)",
        replace="self.proj = nn.Conv2d(in_channels, hidden_size, patch_size, stride=patch_size)",
        also=(
            (
                "x = self.proj(patchify(images, self.patch_size))",
                "x = self.proj(images).flatten(2).transpose(1, 2)",
            ),
        ),
        says="Your proj is a convolution. It computes the same, but here proj is an nn.Linear of the "
        "flattened patch, whose weight has another shape.",
    ),
]
