"""Known wrong versions of `group_norm`: groups, mean and variance."""

from grader.kit import Mistake

_GROUPS = "        groups = x.reshape(len(x), self.num_groups, -1)  # (batch, num_groups, n)"
_MEAN = "        mean = groups.mean(dim=-1, keepdim=True)"
_VARIANCE = "        variance = groups.var(dim=-1, correction=0, keepdim=True)"
_NORMALIZED = "        normalized = (groups - mean) / torch.sqrt(variance + self.eps)"
_BACK = "        normalized = normalized.reshape(x.shape)"
_RETURN = "        return self.weight.view(columns) * normalized + self.bias.view(columns)"

MISTAKES = [
    Mistake(
        "variance-unbiased",
        find=_VARIANCE,
        replace="        variance = groups.var(dim=-1, keepdim=True)",
        says="You divide the sum of squares by n - 1: torch.var and torch.std do unless told correction=0. "
        "Group norm uses the biased variance, divided by n.",
    ),
    Mistake(
        "eps-outside-the-root",
        find=_NORMALIZED,
        replace="        normalized = (groups - mean) / (torch.sqrt(variance) + self.eps)",
        says="You add eps to the standard deviation. It belongs to the variance, inside the root: "
        "sqrt(variance + eps). Outside, a variance of 0 gives the root an infinite derivative and the "
        "gradient can be NaN.",
    ),
    Mistake(
        "no-eps",
        find=_NORMALIZED,
        replace="        normalized = (groups - mean) / torch.sqrt(variance)",
        says="You leave eps out. Where all values of a group are equal the variance is 0, and 0 / 0 is NaN. "
        "Add eps to the variance, inside the root.",
    ),
    Mistake(
        "root-forgotten",
        find=_NORMALIZED,
        replace="        normalized = (groups - mean) / (variance + self.eps)",
        says="You divide by the variance. Divide by its root, the standard deviation.",
    ),
    Mistake(
        "statistics-for-each-position",
        find=_GROUPS,
        replace="        groups = x.reshape(len(x), self.num_groups, x.shape[1] // self.num_groups, -1)",
        also=(
            (_MEAN, "        mean = groups.mean(dim=2, keepdim=True)"),
            (_VARIANCE, "        variance = groups.var(dim=2, correction=0, keepdim=True)"),
        ),
        says="You take mean and variance over a group's channels alone, so every position has its own. They "
        "are those of all positions together.",
    ),
    Mistake(
        "statistics-for-each-channel",
        find=_GROUPS,
        replace="        groups = x.reshape(len(x), x.shape[1], -1)",
        says="You take mean and variance of each channel by itself: that is instance norm. The channels of "
        "a group share them.",
    ),
    Mistake(
        "statistics-over-the-batch",
        find=_MEAN,
        replace="        mean = groups.mean(dim=(0, 2), keepdim=True)",
        also=((_VARIANCE, "        variance = groups.var(dim=(0, 2), correction=0, keepdim=True)"),),
        says="You take mean and variance over the batch as well, so a sample's result depends on the "
        "others. Each sample has its own.",
    ),
    Mistake(
        "layer-norm",
        find=_GROUPS,
        replace="        groups = x.reshape(len(x), 1, -1)",
        says="You normalize each sample as a whole, as with one group. Cut the channels into num_groups "
        "blocks.",
    ),
    Mistake(
        "groups-interleaved",
        find=_GROUPS,
        replace="        size = x.shape[1] // self.num_groups\n"
        "        apart = x.unflatten(1, (size, self.num_groups)).transpose(1, 2)\n"
        "        groups = apart.reshape(len(x), self.num_groups, -1)",
        also=(
            (
                _BACK,
                "        normalized = normalized.reshape(apart.shape).transpose(1, 2).reshape(x.shape)",
            ),
        ),
        says="You put channel c into group c % num_groups. A group is a block of neighbouring channels.",
    ),
    Mistake(
        "groups-taken-for-their-size",
        find=_GROUPS,
        replace="        groups = x.reshape(len(x), x.shape[1] // self.num_groups, -1)",
        says="You take num_groups for the number of channels in a group. It is the number of groups: each "
        "has num_channels / num_groups channels.",
    ),
    Mistake(
        "variance-by-difference-of-moments",
        find=_VARIANCE,
        replace="        variance = groups.square().mean(dim=-1, keepdim=True) - mean.square()",
        says="You take the variance as E[x²] - E[x]². With a mean of 1e3 both are near 1e6, float32 keeps "
        "seven digits of each, and the difference loses most of its digits (and may be negative). "
        "Subtract the mean first, then average the squares.",
    ),
    Mistake(
        "float32-inside",
        find=_GROUPS,
        replace="        groups = x.float().reshape(len(x), self.num_groups, -1)",
        says="You compute in float32 whatever came. float64 is computed in float64: only half precision "
        "needs a conversion, and upwards.",
    ),
    Mistake(
        "statistics-detached",
        find=_MEAN,
        replace=_MEAN + ".detach()",
        also=((_VARIANCE, _VARIANCE + ".detach()"),),
        says="Your values are right, but the gradient of x is just that of a scaling: it lacks the parts "
        "that flow through mean and variance. Both depend on x: they may not be cut off from the graph "
        "(detach, no_grad), and a backward by hand has a term for each.",
    ),
    Mistake(
        "variance-detached",
        find=_VARIANCE,
        replace=_VARIANCE + ".detach()",
        says="Your values are right, but the gradient of x lacks the part that flows through the variance. "
        "The variance depends on x: it may not be cut off from the graph (detach, no_grad), and a backward "
        "by hand has a term for it.",
    ),
    Mistake(
        "mean-not-subtracted",
        find=_NORMALIZED,
        replace="        normalized = groups / torch.sqrt(variance + self.eps)",
        says="You do not subtract the mean. It goes first; then the rest is divided by the standard "
        "deviation.",
    ),
    Mistake(
        "view-of-any-layout",
        find="x.reshape(len(x), self.num_groups, -1)",
        replace="x.view(len(x), self.num_groups, -1)",
        says="You cut groups with view, which raises for a tensor that is not contiguous (a transposed "
        "one). Use reshape, or unflatten.",
    ),
    Mistake(
        "input-modified",
        find=_NORMALIZED,
        replace="        normalized = groups.sub_(mean) / torch.sqrt(variance + self.eps)",
        says="You subtract the mean in place, so the caller's tensor is changed, and a leaf that requires a "
        "gradient raises. Make a new tensor: x - mean.",
    ),
    Mistake(
        "eps-added-to-std",
        find=_NORMALIZED,
        replace="        std = groups.std(dim=-1, correction=0, keepdim=True)\n"
        "        normalized = (groups - mean) / (std + self.eps)",
        says="You add eps to the standard deviation. It belongs to the variance, inside the root: "
        "sqrt(variance + eps). For a group of equal values yours divides by 1e-5, the right one by 3e-3.",
    ),
    Mistake(
        "eps-added-to-unbiased-std",
        find=_NORMALIZED,
        replace="        normalized = (groups - mean) / (groups.std(dim=-1, keepdim=True) + self.eps)",
        says="You divide by std() + eps, which is wrong twice. torch.std divides the sum of squares by n - 1 "
        "unless told correction=0, group norm by n. And eps is added to the variance, inside the root: "
        "sqrt(variance + eps).",
    ),
    Mistake(
        "eps-as-a-floor",
        find=_NORMALIZED,
        replace="        normalized = (groups - mean) / torch.sqrt(variance.clamp(min=self.eps))",
        says="You use eps as a lower bound of the variance. It is added, always: sqrt(variance + eps).",
    ),
    Mistake(
        "eps-as-a-floor-of-std",
        find=_NORMALIZED,
        replace="        std = groups.std(dim=-1, correction=0, keepdim=True)\n"
        "        normalized = (groups - mean) / std.clamp(min=self.eps)",
        says="You use eps as a lower bound of the standard deviation. It is added to the variance, always: "
        "sqrt(variance + eps).",
    ),
    Mistake(
        "root-mean-square",
        find=_NORMALIZED,
        replace="        square = groups.square().mean(dim=-1, keepdim=True)\n"
        "        normalized = groups / torch.sqrt(square + self.eps)",
        says="You divide by the root of the mean square and never subtract the mean, as RMS norm does. Group "
        "norm takes the mean away first, and the variance is that of what remains.",
    ),
    Mistake(
        "groups-across",
        find=_GROUPS,
        replace="        groups = x.reshape(len(x), self.num_groups, x.shape[1] // self.num_groups, -1)",
        also=(
            (_MEAN, "        mean = groups.mean(dim=(1, 3), keepdim=True)"),
            (_VARIANCE, "        variance = groups.var(dim=(1, 3), correction=0, keepdim=True)"),
        ),
        says="You average over the groups instead of over the channels in each: the first channel of every "
        "group shares its mean with the first ones of the others. In (batch, groups, channels of a group, "
        "positions), average over the last two.",
    ),
    Mistake(
        "mean-of-the-channels-variances",
        find=_VARIANCE,
        replace="        channels = groups.unflatten(2, (x.shape[1] // self.num_groups, -1))\n"
        "        variance = channels.var(dim=3, correction=0).mean(dim=2, keepdim=True)",
        says="You take each channel's variance and average these. That leaves out how the channels' means "
        "differ. Take one variance over all values of the group together.",
    ),
    Mistake(
        "batch-norm",
        find=_GROUPS,
        replace="        groups = x.reshape(len(x), x.shape[1], -1)",
        also=(
            (_MEAN, "        mean = groups.mean(dim=(0, 2), keepdim=True)"),
            (_VARIANCE, "        variance = groups.var(dim=(0, 2), correction=0, keepdim=True)"),
        ),
        says="You take mean and variance of each channel over the batch: that is batch norm. In group norm "
        "each sample has its own, shared by the channels of a group.",
    ),
    Mistake(
        "channels-last",
        find=_GROUPS,
        replace="        groups = x.reshape(*x.shape[:-1], self.num_groups, -1)",
        also=((_RETURN, "        return self.weight * normalized + self.bias"),),
        says="You take the last dimension for the channels, as it is in a transformer. They are dimension 1, "
        "and the positions stand behind them.",
    ),
    Mistake(
        "images-only",
        find=_GROUPS,
        replace="        _, _, height, width = x.shape\n" + _GROUPS,
        says="You unpack the shape into four sizes, so nothing but (batch, channels, height, width) fits. "
        "(batch, channels) and any number of further dimensions are asked for too: flatten what stands "
        "behind the channels, or use x.shape[2:].",
    ),
    Mistake(
        "mean-detached",
        find=_MEAN,
        replace=_MEAN + ".detach()",
        says="Your values are right, but the gradient of x lacks the part that flows through the mean, so it "
        "does not sum to 0 over a group as it must. The mean depends on x: it may not be cut off from the "
        "graph (detach, no_grad), and a backward by hand has a term for it.",
    ),
    Mistake(
        "collected-on-the-default-device",
        find=_BACK,
        replace="        collected = torch.zeros(x.shape, dtype=x.dtype)\n"
        "        collected[:] = normalized.reshape(x.shape)\n"
        "        normalized = collected",
        says="You make a tensor on the default device: where x and the layer are on another one, it does not "
        "fit to them. Make it with device=x.device, or with torch.empty_like(x).",
    ),
]
