"""What an answer that starts modules makes of parameters that all hold the same number before."""

from typing import Any

import torch
from torch import nn

from grader.kit.assertions import assert_equal

SOMETHING = 7.0  # stands where nothing has been written


def started(
    answer: "Any",
    layers: "Any",
    std: "Any" = None,
    before: "Any" = 7.0,
    dtype: "Any" = "float32",
    subclassed: "Any" = False,
    applied: "Any" = False,
    turned: "Any" = False,
) -> "Any":
    """The parameters of layers ([kind, arguments, options] by name) behind init_bert_."""

    def made(kind: "Any", args: "Any", options: "Any") -> "Any":
        kind = getattr(nn, kind)  # without the start that PyTorch would give it, which is forbidden here
        layer = type("Bare", (kind,), {"reset_parameters": lambda self: None})(*args, **options)
        layer.__class__ = type("Own", (kind,), {}) if subclassed else kind
        for value in layer.parameters():
            value.data.fill_(before)
            value.data = value.data.t().contiguous().t() if turned else value.data
        return layer.to(getattr(torch, dtype))

    start = answer.init_bert_ if std is None else lambda module: answer.init_bert_(module, std=std)
    model = nn.ModuleDict({name: made(*layer) for name, layer in layers.items()})
    _ = model.apply(start) if applied else [start(module) for module in model.values()]
    return {name: value.detach().clone() for name, value in model.named_parameters()}


def became(value: "Any") -> str:
    """What has become of a parameter. Drawn is drawn: with which numbers is chance."""
    found, first = {SOMETHING: "as it was", 0.0: "zeros", 1.0: "ones"}, value.flatten()[0]
    return found.get(float(first), "drawn") if bool((value == first).all()) else "drawn"


def assert_as_it_was(values: "dict[str, Any]") -> None:
    """Nothing was written to any of these parameters."""
    came = {name: became(value) for name, value in values.items()}
    assert_equal(came, dict.fromkeys(came, "as it was"))


def given_alone(answer: "Any", before: "Any") -> "Any":
    """The parameters of attention, which holds a linear layer, and of a layer that only resembles one."""
    bare = type("Bare", (nn.Linear,), {"reset_parameters": lambda self: None})
    attention: Any = nn.MultiheadAttention.__new__(nn.MultiheadAttention)
    own: Any = nn.Module()
    nn.Module.__init__(attention)
    attention.out_proj, own.in_features, own.out_features = bare(4, 4), 4, 12
    for module, prefix in ((attention, "in_proj_"), (own, "")):
        module.register_parameter(f"{prefix}weight", nn.Parameter(torch.empty(12, 4)))
        module.register_parameter(f"{prefix}bias", nn.Parameter(torch.empty(12)))
        for value in module.parameters():
            value.data.fill_(before)
        answer.init_bert_(module)
    both = nn.ModuleDict({"attention": attention, "own": own})
    return {name: value.detach().clone() for name, value in both.named_parameters()}
