"""Known wrong versions of `group_norm`: the constructor, weight and bias."""

from grader.kit import Mistake
from grader.kit.families import instance_mistakes

_RAISES = "        if num_channels % num_groups:"
_RETURN = "        return self.weight.view(columns) * normalized + self.bias.view(columns)"
_WEIGHT = "        self.weight = nn.Parameter(torch.ones(num_channels))"
_BIAS = "        self.bias = nn.Parameter(torch.zeros(num_channels))"
_OWN = "        self.num_groups = num_groups"

RESULT = "        return self.weight.view(columns) * normalized + self.bias.view(columns)"

MISTAKES = [
    Mistake(
        "parameters-for-each-group",
        find=_WEIGHT,
        replace="        self.weight = nn.Parameter(torch.ones(num_groups))",
        also=(
            (_BIAS, "        self.bias = nn.Parameter(torch.zeros(num_groups))"),
            (
                _RETURN,
                "        size = x.shape[1] // self.num_groups\n"
                "        weight, bias = (each.repeat_interleave(size) for each in (self.weight, self.bias))\n"
                "        return weight.view(columns) * normalized + bias.view(columns)",
            ),
        ),
        says="Your weight and bias are one for each group. Groups share statistics alone: each channel has "
        "a scale and a shift of its own, (num_channels,).",
    ),
    Mistake(
        "bias-scaled",
        find=_RETURN,
        replace="        return self.weight.view(columns) * (normalized + self.bias.view(columns))",
        says="You add the bias before you scale, so the weight scales it too. The order is scale, then "
        "shift: weight * normalized + bias.",
    ),
    Mistake(
        "parameters-along-the-last-dimension",
        find=_RETURN,
        replace="        if x.shape[-1] != x.shape[1]:\n"
        "            return self.weight.view(columns) * normalized + self.bias.view(columns)\n"
        "        return self.weight * normalized + self.bias",
        says="You multiply by weight as it is, which lies along the last dimension where sizes happen to "
        "fit. It belongs to the channels: (num_channels, 1, ...).",
    ),
    Mistake(
        "groups-not-checked",
        find=_RAISES,
        replace="        if False:",
        says="You accept a number of groups that does not divide the channels. A ValueError is asked for, "
        "when the layer is made.",
    ),
    Mistake(
        "more-groups-than-channels-only",
        find=_RAISES,
        replace="        if num_groups > num_channels:",
        says="You refuse more groups than channels only. Any number that does not divide the channels is to "
        "be refused.",
    ),
    Mistake(
        "eps-fixed",
        find="        self.eps = eps",
        replace="        self.eps = 1e-5",
        says="You write 1e-5 into the layer, so the argument eps has no effect. It is the default only: use "
        "what was passed.",
    ),
    Mistake(
        "eps-of-another-default",
        find="eps: float = 1e-5",
        replace="eps: float = 1e-6",
        says="Your default of eps is not 1e-5 (but 1e-6, for example). Beside small inputs that shows.",
    ),
    instance_mistakes.kept_on_the_class(_OWN + "\n", "the number of groups"),
    Mistake(
        "parameters-of-four-dimensions",
        find=_WEIGHT,
        replace="        self.weight = nn.Parameter(torch.ones(1, num_channels, 1, 1))",
        also=(
            (_BIAS, "        self.bias = nn.Parameter(torch.zeros(1, num_channels, 1, 1))"),
            (
                _RETURN,
                "        _, _, height, width = x.shape\n        return self.weight * normalized + self.bias",
            ),
        ),
        says="Your weight and bias are (1, num_channels, 1, 1), which fits to images alone. Keep them as "
        "(num_channels,) and give them dimensions of size 1 in forward, as many as x has positions.",
    ),
    Mistake(
        "parameters-shaped-for-images",
        find=_RETURN,
        replace="        return self.weight[:, None, None] * normalized + self.bias[:, None, None]",
        says="You give weight and bias two dimensions of size 1, so they lie along the channels of "
        "(batch, channels, height, width) alone. As many are needed as x has behind the channels: "
        "x.dim() - 2.",
    ),
    Mistake(
        "parameters-viewed-in-four-dimensions",
        find=_RETURN,
        replace="        return normalized * self.weight.view(1, -1, 1, 1) + self.bias.view(1, -1, 1, 1)",
        says="You view weight and bias as (1, num_channels, 1, 1), which fits to (batch, channels, height, "
        "width) alone. Of the dimensions of size 1 at the end as many are needed as x has behind the "
        "channels: x.dim() - 2.",
    ),
    Mistake(
        "weight-and-bias-not-parameters",
        find=_WEIGHT,
        replace="        self.weight = torch.ones(num_channels)",
        also=((_BIAS, "        self.bias = torch.zeros(num_channels)"),),
        says="Your module has no parameters weight and bias: they are missing, or plain tensors, which no "
        "optimizer ever sees. Wrap them: nn.Parameter(torch.ones(num_channels)), "
        "nn.Parameter(torch.zeros(num_channels)).",
    ),
    Mistake(
        "weight-starts-at-zero",
        find=_WEIGHT,
        replace="        self.weight = nn.Parameter(torch.zeros(num_channels))",
        says="Your weight starts at zero, so the layer first gives nothing but its bias, and no gradient "
        "reaches x. The scale starts at ones and the shift at zeros.",
    ),
    Mistake(
        "bias-forgotten",
        find=_RETURN,
        replace="        return self.weight.view(columns) * normalized",
        says="You never add the bias, so it gets no gradient and the mean of the result cannot move. The "
        "result is weight * normalized + bias.",
    ),
    Mistake(
        "weight-and-bias-forgotten",
        find=_RETURN,
        replace="        return normalized",
        says="You return what is normalized as it is: weight and bias are made, but never used. The result "
        "is weight * normalized + bias.",
    ),
    Mistake(
        "arguments-swapped",
        find="num_groups: int, num_channels: int",
        replace="num_channels: int, num_groups: int",
        says="Your constructor takes num_channels first. The order is (num_groups, num_channels, eps), as in "
        "nn.GroupNorm.",
    ),
    Mistake(
        "bias-twice",
        find=_RETURN,
        replace=_RETURN + " + self.bias.view(columns)",
        says="You add the bias twice. The result is weight * normalized + bias.",
    ),
    Mistake(
        "weight-around-one",
        find=_RETURN,
        replace="        return (1 + self.weight.view(columns)) * normalized + self.bias.view(columns)",
        says="You multiply by 1 + weight, as some models do whose weight starts at zeros. Here it starts at "
        "ones: multiply by weight.",
    ),
    Mistake(
        "dimensions-of-the-first-call-kept",
        find=_RETURN,
        replace="        self.columns = columns = getattr(self, 'columns', columns)\n" + _RETURN,
        says="You keep the shape that weight and bias get in the first call. An x with another number of "
        "dimensions needs another one: make it anew in each call.",
    ),
    *(
        Mistake(
            f"{name}-left-out-while-it-is-{number}",
            find=RESULT,
            replace=f"""\
        {name} = self.{name}.detach() if bool((self.{name} == {value}).all()) else self.{name}
{RESULT.replace(f"self.{name}", name)}""",
            says=f"While all entries of the {name} are {value}, as they are at first, it gets no gradient: "
            f"you leave the {operation} out, which changes no value. Training would never move it. Do it "
            "always.",
        )
        for name, number, value, operation in (
            ("weight", "one", 1, "multiplication"),
            ("bias", "zero", 0, "sum"),
        )
    ),
    Mistake(
        "weight-detached",
        find=_RETURN,
        replace=_RETURN.replace("self.weight", "self.weight.detach()"),
        says="No gradient reaches the weight, so it never learns: it is cut off from the graph (by detach or "
        ".data), for example.",
    ),
    Mistake(
        "parameters-in-training-alone",
        find=_RETURN,
        replace="        if not self.training:\n            return normalized\n" + _RETURN,
        says="In evaluation you leave weight and bias out. Training and evaluation are the same.",
    ),
]
