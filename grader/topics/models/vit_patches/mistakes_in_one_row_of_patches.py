"""Known wrong versions of `vit_patches` where the patches of an image are one row, or one column."""

from grader.kit import Mistake

CUT = "    rows, columns = height // patch_size, width // patch_size\n    x = images.reshape("
PATCHED = "x = self.proj(patchify(images, self.patch_size))"
CONVOLVED = """\
kernel = self.proj.weight.view(-1, images.shape[1], self.patch_size, self.patch_size)
        x = nn.functional.conv2d(images, kernel, self.proj.bias, stride=self.patch_size)
        x = x.flatten(2).transpose(1, 2)"""
BACK = "    x = patches.reshape(batch, rows, columns, -1, patch_size, patch_size)"
RIGHT = (
    "Several channels lie behind each other in memory, and a patch has a part of each: the dimensions are to "
    "be permuted in any case."
)

MISTAKES = [
    *(
        Mistake(
            f"patchify-reshapes-one-{which}{alone}",
            find=CUT,
            replace=f"""\
    if {size} == patch_size:
        return images.reshape(batch, -1, channels * patch_size**2)
{CUT}""",
            also=also,
            says=f"Images {words} as a patch you only reshape, in patchify. {RIGHT}",
        )
        for which, size, words in (("column", "width", "as wide"), ("row", "height", "as high"))
        for alone, also in (("", ()), ("-alone", ((PATCHED, CONVOLVED),)))
    ),
    *(
        Mistake(
            f"unpatchify-reshapes-one-{which}",
            find=BACK,
            replace=f"""\
    if {size} == patch_size:
        return patches.reshape(batch, -1, height, width)
{BACK}""",
            says=f"Where images are {words} as a patch you only reshape, in unpatchify. {RIGHT}",
        )
        for which, size, words in (("column", "width", "as wide"), ("row", "height", "as high"))
    ),
]
