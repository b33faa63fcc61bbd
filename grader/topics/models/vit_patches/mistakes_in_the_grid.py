"""Known wrong versions of `vit_patches`: numbers cut out as they lie in memory, and scaled ones."""

from grader.kit import Mistake

CUT = "x = images.reshape(batch, channels, rows, patch_size, columns, patch_size)"
MOVED = "x = x.permute(0, 2, 4, 1, 3, 5)"
BACK = "x = x.permute(0, 3, 1, 4, 2, 5)"

APART = (
    "pixels into one patch that stand as far apart as there are rows (or columns) of patches. Cut the height "
    "into (rows, patch_size), not (patch_size, rows), and the width alike: then what is beside each other in "
    "the image stays together."
)

MISTAKES = [
    Mistake(
        "patches-behind-each-other-on-the-way-back",
        find=BACK,
        replace="x = x.permute(0, 3, 1, 2, 4, 5)",
        says="On the way back you bring the channels to the front, but leave the rest in the order of the "
        "patches, so that each patch fills the image from one place on without a gap. A row of the image "
        "goes through all patches beside each other: (batch, channels, rows, patch_size, columns, "
        "patch_size), then reshape.",
    ),
    Mistake(
        "channels-cut-without-their-rows",
        find=CUT,
        replace="x = images.reshape(batch, channels, rows, columns, patch_size, patch_size)",
        also=((MOVED, "x = x.permute(0, 2, 3, 1, 4, 5)"),),
        says="You cut each channel into pieces of patch_size^2 numbers that lie behind each other, which are "
        "parts of image rows. A patch has patch_size numbers of each of patch_size rows: reshape to (batch, "
        "channels, rows, patch_size, columns, patch_size), and permute.",
    ),
    Mistake(
        "every-nth-pixel",
        find=CUT,
        replace="x = images.reshape(batch, channels, patch_size, rows, patch_size, columns)",
        also=((MOVED, "x = x.permute(0, 3, 5, 1, 2, 4)"),),
        says=f"Your patches are no squares of neighbours: patchify puts {APART}",
    ),
    Mistake(
        "every-nth-pixel-on-the-way-back",
        find=BACK,
        replace="x = x.permute(0, 3, 4, 1, 5, 2)",
        says=f"On the way back your patches are no squares of neighbours: unpatchify puts {APART}",
    ),
    Mistake(
        "every-nth-pixel-both-ways",
        find=CUT,
        replace="x = images.reshape(batch, channels, patch_size, rows, patch_size, columns)",
        also=((MOVED, "x = x.permute(0, 3, 5, 1, 2, 4)"), (BACK, "x = x.permute(0, 3, 4, 1, 5, 2)")),
        says=f"Your patches are no squares of neighbours: both ways you put {APART}",
    ),
    Mistake(
        "columns-before-rows-in-grid-and-patch",
        find=MOVED,
        replace="x = x.permute(0, 4, 2, 1, 5, 3)",
        says="You have width and height exchanged in both places: patches go down the columns of the "
        "image, and each is flattened column by column. Both go row by row.",
    ),
    Mistake(
        "columns-before-rows-in-grid-and-patch-on-the-way-back",
        find="x = patches.reshape(batch, rows, columns, -1, patch_size, patch_size)",
        replace="x = patches.reshape(batch, columns, rows, -1, patch_size, patch_size)"
        ".permute(0, 2, 1, 3, 5, 4)",
        says="On the way back you have width and height exchanged in both places: you put patches down "
        "the columns of the image, and each one transposed. Both go row by row.",
    ),
    Mistake(
        "images-with-channels-last",
        find="return x.reshape(batch, -1, height, width)",
        replace="return x.reshape(batch, -1, height, width).permute(0, 2, 3, 1)",
        says="unpatchify gives (batch, height, width, channels), as one shows images. Asked for is "
        "(batch, channels, height, width), what patchify takes.",
    ),
    Mistake(
        "patches-scaled",
        find="x = self.proj(patchify(images, self.patch_size))",
        replace="x = self.proj(patchify(images, self.patch_size)) * self.proj.out_features**0.5",
        says="You multiply the projected patches by the root of hidden_size, as some do with embeddings of "
        "words. Positions are added to them as they are.",
    ),
]
