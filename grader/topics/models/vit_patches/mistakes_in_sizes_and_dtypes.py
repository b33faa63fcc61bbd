"""Known wrong versions of `vit_patches`: which sizes are refused, dtypes and devices, the module alone."""

from grader.kit import Mistake

FLAT = "return x.reshape(batch, rows * columns, channels * patch_size**2)"
BACK = "return x.reshape(batch, -1, height, width)"
PARTS = "x = patches.reshape(batch, rows, columns, -1, patch_size, patch_size)"
UNFIT = """\
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not fit into {height} x {width}")
    rows, columns = height // patch_size, width // patch_size
    x = images"""
UNFIT_IN_INIT = """\
        if height % patch_size != 0 or width % patch_size != 0:
            raise ValueError(f"patches of {patch_size} do not fit into {height} x {width}")
        self.image_size"""
BOTH, NEITHER = (f"height % patch_size != 0 {word} width % patch_size != 0" for word in ("or", "and"))
CUT_OFF = "    images = images[:, :, : rows * patch_size, : columns * patch_size]\n    x = images"
SIZE_BACK = "    height, width = image_size\n    rows, columns = height // patch_size, width // patch_size"
OTHER = """\
        if tuple(images.shape[2:]) != self.image_size:
            raise ValueError(f"images of {tuple(images.shape[2:])}, {self.image_size} are expected")
"""
SUMMED = "return x + self.position_embedding"
PROJECTED = "x = self.proj(patchify(images, self.patch_size))  # (batch, patches, hidden_size)"

MISTAKES = [
    Mistake(
        "one-side-cut-off",
        find=UNFIT,
        replace=UNFIT.replace(BOTH, NEITHER).replace("    x = images", CUT_OFF),
        says="patchify raises only if patch_size divides neither side, and cuts off what is left over of one "
        "(`and` stands for `or`). Either is enough to raise.",
    ),
    Mistake(
        "refused-only-if-neither-side-fits",
        find=UNFIT,
        replace=UNFIT.replace(BOTH, NEITHER),
        says="patchify raises only if patch_size divides neither side (`and` stands for `or`); of one that "
        "does not fit reshape complains, with an error of another kind. Either is enough for a ValueError.",
    ),
    Mistake(
        "refused-by-the-constructor-only-if-neither-side-fits",
        find=UNFIT_IN_INIT,
        replace=UNFIT_IN_INIT.replace(BOTH, NEITHER),
        says="Your constructor raises only if patch_size divides neither side (`and` stands for `or`). "
        "Either is enough.",
    ),
    Mistake(
        "sides-cut-off-and-constructor-like-it",
        find=UNFIT,
        replace=UNFIT.replace(BOTH, NEITHER).replace("    x = images", CUT_OFF),
        also=((UNFIT_IN_INIT, UNFIT_IN_INIT.replace(BOTH, NEITHER)),),
        says="patchify and your constructor raise only if patch_size divides neither side (`and` stands for "
        "`or`); what is left over of one side is cut off silently. Either is enough to raise.",
    ),
    Mistake(
        "refused-in-both-only-if-neither-side-fits",
        find=UNFIT,
        replace=UNFIT.replace(BOTH, NEITHER),
        also=((UNFIT_IN_INIT, UNFIT_IN_INIT.replace(BOTH, NEITHER)),),
        says="patchify and your constructor raise only if patch_size divides neither side (`and` stands for "
        "`or`); of one that does not fit reshape complains, with an error of another kind. Either is enough "
        "for a ValueError.",
    ),
    Mistake(
        "only-the-width-checked",
        find=UNFIT,
        replace=UNFIT.replace(BOTH, "width % patch_size != 0"),
        says="patchify checks the width alone. A height that patch_size does not divide raises a ValueError, "
        "too.",
    ),
    Mistake(
        "only-the-width-checked-in-the-constructor",
        find=UNFIT_IN_INIT,
        replace=UNFIT_IN_INIT.replace(BOTH, "width % patch_size != 0"),
        says="Your constructor checks the width alone. A height that patch_size does not divide raises a "
        "ValueError, too.",
    ),
    Mistake(
        "only-the-width-compared",
        find=OTHER,
        replace=OTHER.replace(
            "tuple(images.shape[2:]) != self.image_size", "images.shape[3] != self.image_size[1]"
        ),
        says="Your embedding compares the width of images alone. Another height raises a ValueError, too.",
    ),
    Mistake(
        "width-before-height-compared",
        find="        self.image_size = (height, width)",
        replace="        self.image_size = (width, height)",
        says="Your embedding keeps (width, height) and compares it with (height, width), so it refuses the "
        "images that it is made for. Keep one order.",
    ),
    Mistake(
        "patches-in-float32-outside-of-the-module",
        find=FLAT,
        replace=FLAT + ".float()",
        also=((PROJECTED, PROJECTED.replace("patch_size))", "patch_size).to(images.dtype))")),),
        says="patchify gives float32 whatever came (a convolution with a kernel of float32 does, or a tensor "
        "made without a dtype), though your embedding is right. It moves numbers only: any dtype stays.",
    ),
    Mistake(
        "way-back-in-float32",
        find=PARTS,
        replace=PARTS.replace("patches", "patches.float()"),
        says="unpatchify gives float32 whatever came (into a tensor made without a dtype, for example). It "
        "moves numbers only: any dtype stays.",
    ),
    Mistake(
        "patches-on-the-default-device",
        find="    " + FLAT,
        replace="    collected = torch.zeros(batch, rows * columns, x[0, 0, 0].numel(), dtype=x.dtype)\n"
        "    collected[:] = x.reshape(collected.shape)\n"
        "    return collected",
        says="patchify makes a tensor on the default device, where images may be on another one. Make it "
        "with images.new_empty, or with device=images.device.",
    ),
    Mistake(
        "way-back-on-the-default-device",
        find="    " + BACK,
        replace="    collected = torch.zeros(batch, x.shape[1], height, width, dtype=x.dtype)\n"
        "    collected[:] = x.reshape(collected.shape)\n"
        "    return collected",
        says="unpatchify makes a tensor on the default device, where patches may be on another one. Make it "
        "with patches.new_empty, or with device=patches.device.",
    ),
    Mistake(
        "pixels-divided-by-255",
        find="    x = images.reshape(",
        replace="    if not images.is_floating_point():\n        images = images / 255\n"
        "    x = images.reshape(",
        says="You turn whole numbers of pixels into parts of 1. patchify moves numbers only, of any dtype.",
    ),
    Mistake(
        "channels-last-in-the-module",
        find=PROJECTED,
        replace="x = patchify(images, self.patch_size).unflatten(2, (images.shape[1], -1))\n"
        "        x = self.proj(x.transpose(2, 3).flatten(2))",
        says="Your patchify is right, but your embedding projects patches as (row, column, channel). It is "
        "(channel, row, column), the order of a convolution's weight, there too.",
    ),
    Mistake(
        "positions-detached",
        find=SUMMED,
        replace=SUMMED + ".detach()",
        says="No gradient reaches the positions: .data or .detach() takes them out of the graph. They are "
        "learned.",
    ),
    Mistake(
        "first-position-twice",
        find=SUMMED,
        replace="positions = self.position_embedding\n"
        "        return x + torch.cat((positions[:, :1], positions[:, :-1]), dim=1)",
        says="Your first patch has the position of the class token, and each later one that of the patch "
        "before it; nobody gets the last position. Behind the class token's come those of the patches: "
        "position_embedding[:, 1:].",
    ),
    Mistake(
        "class-token-twice",
        find=SUMMED,
        replace="x = x + self.position_embedding\n"
        "        return torch.cat((x[:, :1] + self.cls_token, x[:, 1:]), dim=1)",
        says="You add the class token twice: it stands in front, and its position alone is added to it.",
    ),
    Mistake(
        "projection-scaled",
        find=SUMMED,
        replace="return x * self.proj.out_features**0.5 + self.position_embedding",
        says="You multiply what is projected by the root of hidden_size, as some do with embeddings of "
        "words. Positions are added to it as it is.",
    ),
    Mistake(
        "grid-exchanged-on-the-way-back",
        find=SIZE_BACK,
        replace="    height, width = image_size\n"
        "    rows, columns = width // patch_size, height // patch_size",
        says="unpatchify lays out a grid of width / patch_size rows and height / patch_size columns, which "
        "is right for square images only. There are height / patch_size rows, from top to bottom.",
    ),
    Mistake(
        "grid-exchanged",
        find=UNFIT,
        replace=UNFIT.replace("height // patch_size, width //", "width // patch_size, height //"),
        says="patchify cuts the height into width / patch_size pieces and the width into height / "
        "patch_size, which is right for square images only. Rows of patches come from the height.",
    ),
    Mistake(
        "patches-upside-down-on-the-way-back",
        find=PARTS,
        replace=PARTS.replace("patch_size, patch_size)", "patch_size, patch_size).flip(1)"),
        says="unpatchify puts the rows of patches from the bottom to the top. The first is at the top.",
    ),
    Mistake(
        "channels-counted-as-three",
        find=FLAT,
        replace="return x.reshape(batch, rows * columns, 3 * patch_size**2)",
        says="patchify takes it for granted that images have three channels. Any number may come.",
    ),
    Mistake(
        "side-of-a-patch-not-squared",
        find=FLAT,
        replace="return x.reshape(batch, -1, channels * patch_size)",
        says="Your patches have channels * patch_size numbers: each row of a patch is one of its own. A "
        "patch has patch_size rows, all of which belong to one vector.",
    ),
    Mistake(
        "positions-twice",
        find=SUMMED,
        replace=SUMMED + " + self.position_embedding",
        says="You add the positions twice. Once is asked for.",
    ),
    Mistake(
        "positions-multiplied",
        find=SUMMED,
        replace="return x * self.position_embedding",
        says="You multiply by the positions. They are added.",
    ),
    Mistake(
        "class-token-added-to-the-patches",
        find=PROJECTED,
        replace=PROJECTED.split("  #")[0] + " + self.cls_token",
        says="You add the class token to each patch as well. It is a token of its own, in front of them.",
    ),
    Mistake(
        "position-of-the-first-for-all",
        find=SUMMED,
        replace="return x + self.position_embedding[:, :1]",
        says="You add the first position to all tokens. Each has its own.",
    ),
    Mistake(
        "result-in-float32",
        find=SUMMED,
        replace="return (x + self.position_embedding).float()",
        says="Your embedding gives float32 whatever came. The result has the dtype of images.",
    ),
]
