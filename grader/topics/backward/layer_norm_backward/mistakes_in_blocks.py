"""Known wrong versions of `layer_norm_backward` that go through the vectors in blocks."""

from collections.abc import Iterator

from grader.kit import Mistake

LAYER = "    if leading:  # a sum over no dimension would be one over all\n"
RMS = "    return grad_x, (grad_output * normalized).reshape(-1, x.shape[-1]).sum(dim=0)\n"
TORCH = (("from torch import Tensor\n", "import torch\nfrom torch import Tensor\n"),)
COUNTED = """\
    rows = x.numel() // x.shape[-1]
    size = min({size}, rows)
    starts = [{start} for start in range(0, rows, size)]
    times = torch.zeros(rows, dtype=x.dtype, device=x.device)
    for start in starts:
        times[start : start + size] += 1
    {name} = ({name}.reshape(rows, -1) * times[:, None]).reshape(x.shape)
"""


def blocks() -> Iterator[Mistake]:
    for size in (8, 16, 32, 64, 128):
        start = "min(start, rows - size)"
        lines = {name: COUNTED.format(size=size, start=start, name=name) for name in ("normalized", "bias")}
        both = lines["bias"].replace("bias", "grad_bias") + (
            "    grad_weight = (grad_weight.reshape(rows, -1) * times[:, None]).reshape(x.shape)\n"
        )
        says = (
            f"You go through the vectors in blocks (of {size}), and move the last one back so that it is "
            "full: what it shares with the block before is counted twice in the sums over all vectors. Let "
            "it be shorter."
        )
        yield Mistake(
            f"last-block-moved-back-in-blocks-of-{size}",
            find=LAYER,
            replace=both + LAYER,
            also=((RMS, lines["normalized"] + RMS), *TORCH),
            says=says,
        )


MISTAKES = [*blocks()]
