"""Known wrong versions of `vit_patches` that ask something else than whether both sides can be divided."""

from grader.kit import Mistake

UNFIT = """\
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError(f"patches of {patch_size} do not fit into {height} x {width}")
    rows, columns = height // patch_size, width // patch_size
    x = images"""
BOTH, AREA = "height % patch_size != 0 or width % patch_size != 0", "height * width % patch_size**2 != 0"
SAYS = (
    "You ask whether the area can be divided, height * width by patch_size^2. A side that patch_size does "
    "not divide can be made up for by the other one: 1 x 4 has the area of one patch of 2 x 2. Ask both."
)

MISTAKES = [
    Mistake(
        "area-divided",
        find=UNFIT,
        replace=UNFIT.replace(BOTH, AREA).replace(
            "    x = images",
            "    images = images[:, :, : rows * patch_size, : columns * patch_size]\n    x = images",
        ),
        says=SAYS,
    ),
    Mistake("area-divided-and-reshaped", find=UNFIT, replace=UNFIT.replace(BOTH, AREA), says=SAYS),
]
