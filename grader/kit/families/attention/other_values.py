"""What comes of attention when the built-in, which it should call, returns something else."""

from typing import Any

import torch


def with_other_values_inside(
    answer: "Any", attention: "Any", x: "Any", factors: "Any", mask: "Any", is_causal: "Any"
) -> "Any":
    """Its result when those of the built-in are multiplied by factors, one for each feature of a head."""

    class Others(torch.overrides.TorchFunctionMode):
        def __torch_function__(
            self, function: "Any", types: "Any", args: "Any" = (), kwargs: "Any" = None
        ) -> "Any":
            result = function(*args, **(kwargs or {}))
            return result * factors if "scaled_dot_product_attention" in str(function) else result

    with Others():
        return attention(x, mask, is_causal)
