"""NF4, the 4-bit NormalFloat of QLoRA: weights as numbers of 16 levels, in blocks with one absmax each.

From "QLoRA: Efficient Finetuning of Quantized LLMs" (Dettmers et al., 2023). The levels are quantiles of the
normal distribution: close together around 0, where most weights are. Nothing is forbidden. Gradients, half
precision and an empty weight are not asked. Nothing is made on the default device where the arguments are on
another one.
"""

from collections.abc import Sequence

from jaxtyping import Float, UInt8
from torch import Tensor

# given
NF4 = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941),
    *(0.7229568362236023, 1.0),
)
# end given


def quantize_nf4(
    weight: Float[Tensor, "..."], block_size: int = 64
) -> tuple[UInt8[Tensor, "bytes"], Float[Tensor, "blocks"]]:
    """The weight as (packed, absmax): a code of 4 bits for each value, and one number for each block.

    The values are taken in row-major order, whatever the weight's strides are, and cut into blocks of
    block_size; the last may be shorter. absmax is the largest |value| of each block, in the weight's dtype.
    The code of a value is the number of the level nearest to value / absmax: 0 for NF4[0], 15 for NF4[15]; in
    a block of zeros it is 7. Element 2j stands in the high four bits of byte j, element 2j + 1 in the low.
    There are ceil(n / 2) bytes for n elements, in memory of that size, no view of more; if n is odd, the low
    bits of the last byte are free.

    weight: float32 or float64, any shape, also (), with at least one element; not modified. Values may be
        subnormal. No value / absmax is within 1e-4 of the middle between two levels. block_size: at least 1,
        odd ones as well.

    Where n is some hundreds or more and block_size divides it, no operation in here may make a tensor of more
    than 2 n elements: so no table of the distances to all levels.
    """
    raise NotImplementedError


def dequantize_nf4(
    packed: UInt8[Tensor, "bytes"],
    absmax: Float[Tensor, "blocks"],
    shape: Sequence[int],
    block_size: int = 64,
) -> Float[Tensor, "..."]:
    """The weight again, as far as it is known: each code's level times its block's absmax, in this shape.

    The result has absmax's dtype. The value of largest size in each block comes back exactly, with its sign,
    and if the result is quantized again, the codes are the same. packed and absmax are as quantize_nf4 makes
    them, for a weight of this shape (a tuple, a list or a torch.Size, also ()) and this block_size; neither
    is modified.
    """
    raise NotImplementedError
