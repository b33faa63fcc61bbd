"""Known wrong versions of `group_norm`: which variance it divides by, and what that is done to."""

from grader.kit import Mistake

_GROUPS = "        groups = x.reshape(len(x), self.num_groups, -1)  # (batch, num_groups, n)"
_MEAN = "        mean = groups.mean(dim=-1, keepdim=True)"
_VARIANCE = "        variance = groups.var(dim=-1, correction=0, keepdim=True)"
_NORMALIZED = "        normalized = (groups - mean) / torch.sqrt(variance + self.eps)"
_COUNTED = "        n = x.shape[1] // self.num_groups * x.shape[-1] ** (x.dim() - 2)\n"

MISTAKES = [
    Mistake(
        "variance-by-the-square-of-its-root",
        find=_VARIANCE,
        replace=_VARIANCE + ".sqrt().square()",
        says="You take the root of the variance and square it again, to add eps. The root has an infinite "
        "slope at 0, so a group of equal values gets NaN for a gradient: keep the variance.",
    ),
    Mistake(
        "variance-around-zero",
        find=_VARIANCE,
        replace="        variance = groups.square().mean(dim=-1, keepdim=True)",
        says="You subtract the mean, but what you divide by is the mean square of x as it came. The variance "
        "is the mean square of what the mean has been taken away from.",
    ),
    Mistake(
        "squares-summed-up",
        find=_VARIANCE,
        replace="        variance = (groups - mean).square().sum(dim=-1, keepdim=True)",
        says="You divide by the root of the sum of squares. The variance is their mean: divide by n.",
    ),
    Mistake(
        "variance-of-each-channel",
        find=_VARIANCE,
        replace="        channels = groups.unflatten(2, (x.shape[1] // self.num_groups, -1))\n"
        "        variance = (channels - mean.unsqueeze(-1)).square().mean(dim=3, keepdim=True)\n"
        "        variance = variance.expand_as(channels).flatten(2)",
        says="You subtract the mean of the group and divide by a deviation of each channel's own. Mean and "
        "variance are both those of the group, over all of its channels.",
    ),
    *(
        Mistake(
            name,
            find=_GROUPS,
            replace="        groups = x.reshape(len(x), self.num_groups, -1, *(x.shape[2:] or (1,)))",
            also=(
                (_MEAN, f"        mean = groups.mean(dim={over}, keepdim=True)"),
                (_VARIANCE, f"        variance = groups.var(dim={over}, correction=0, keepdim=True)"),
            ),
            says="You take mean and variance over the channels of a group and one dimension of the positions "
            f"only, the {which}, so of an image {each} has its own. They are those of all positions "
            "together, in however many dimensions: flatten these, or average over all from the third on.",
        )
        for name, over, which, each in [
            ("statistics-for-each-row", (2, -1), "last", "every row"),
            ("statistics-for-each-column", (2, 3), "first", "every column"),
        ]
    ),
    Mistake(
        "eps-squared",
        find="variance + self.eps)",
        replace="variance + self.eps**2)",
        says="You add the square of eps to the variance. It is eps itself.",
    ),
    Mistake(
        "mean-subtracted-behind-the-division",
        find=_NORMALIZED,
        replace="        normalized = groups / torch.sqrt(variance + self.eps) - mean",
        says="You divide first and subtract the mean then (without brackets, for example), which is no "
        "longer the mean of what it is taken from: (x - mean) / sqrt(variance + eps).",
    ),
    Mistake(
        "input-normalized-in-place",
        find=_NORMALIZED,
        replace="        root = torch.sqrt(variance + self.eps)\n"
        "        inplace = not groups.requires_grad\n"
        "        normalized = groups.sub_(mean).div_(root) if inplace else (groups - mean) / root",
        says="You normalize in place, and what you write to may be the caller's tensor: view and detach "
        "never copy, and reshape only where it must. So x is overwritten. Make a new tensor: (x - mean) / "
        "root.",
    ),
    Mistake(
        "result-in-float64",
        find=_GROUPS,
        replace="        groups = x.double().reshape(len(x), self.num_groups, -1)",
        says="You compute in float64 and leave the result so. It has the dtype of x.",
    ),
    Mistake(
        "eps-added-to-the-sum",
        find=_VARIANCE,
        replace="        squares = (groups - mean).square().sum(dim=-1, keepdim=True)",
        also=(
            (
                _NORMALIZED,
                "        root = torch.sqrt(squares + self.eps)\n"
                "        normalized = (groups - mean) * groups.shape[-1] ** 0.5 / root",
            ),
        ),
        says="You add eps to the sum of squares, before it is divided by n, so eps counts n times too "
        "little. It is added to the variance, which is the mean of the squares.",
    ),
    Mistake(
        "eps-added-inside-and-outside",
        find=_NORMALIZED,
        replace="        normalized = (groups - mean) / (torch.sqrt(variance + self.eps) + self.eps)",
        says="You add eps twice: to the variance, and to its root as well. It belongs to the variance alone.",
    ),
    Mistake(
        "mean-absolute-deviation",
        find=_NORMALIZED,
        replace="        deviation = (groups - mean).abs().mean(dim=-1, keepdim=True)\n"
        "        normalized = (groups - mean) / (deviation + self.eps)",
        says="You divide by the mean of the absolute deviations. The standard deviation is the root of the "
        "mean of their squares.",
    ),
    *(
        Mistake(
            id,
            find=_VARIANCE,
            replace=f"{_COUNTED}        variance = (groups - mean).square().sum(dim=-1, keepdim=True) / n",
            also=also,
            says=f"You divide the sums over a group {which}by a number of positions as if images were "
            "square, width times width. It is height times width, or whatever dimensions there are: "
            "groups.shape[-1] is n.",
        )
        for id, also, which in (
            (
                "counted-as-if-square",
                ((_MEAN, f"{_COUNTED}        mean = groups.sum(dim=-1, keepdim=True) / n"),),
                "",
            ),
            ("variance-counted-as-if-square", (), "for the variance "),
        )
    ),
    Mistake(
        "strides-from-the-shape",
        find=_GROUPS,
        replace="        size = x[0].numel() // self.num_groups\n"
        "        strides = x[0].numel(), size, 1\n"
        "        groups = x.as_strided((len(x), self.num_groups, size), strides)",
        says="You read x as if it were contiguous, by strides computed from its shape, for example "
        "(as_strided). It may be transposed: reshape goes by its own strides, and copies where it has to.",
    ),
]
