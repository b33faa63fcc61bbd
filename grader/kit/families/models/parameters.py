"""The parameters that models have, by name and shape."""

from grader.kit.families.attention.checks import linear_layers

Shapes = dict[str, tuple[int, ...]]


def layer_norms(size: int, *names: str) -> Shapes:
    """Those of layer norms over so many features."""
    return {f"{name}.{kind}": (size,) for name in names for kind in ("weight", "bias")}


def stacked_layers(num_layers: int, size: int, **linear: tuple[int, int]) -> Shapes:
    """Those of `layers`: each has linear layers (see `linear_layers`), and the norms `norm1` and `norm2` over
    `size` features."""
    one = linear_layers(**linear) | layer_norms(size, "norm1", "norm2")
    return {f"layers.{i}.{name}": shape for i in range(num_layers) for name, shape in one.items()}
