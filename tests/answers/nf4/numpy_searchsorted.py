"""Through NumPy: searchsorted, one block after the other, view of pairs; a spare code of 15."""

import numpy as np
import torch

# given
NF4 = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941),
    *(0.7229568362236023, 1.0),
)
# end given

TABLE = np.array(NF4)
EDGES = (TABLE[1:] + TABLE[:-1]) * 0.5


def quantize_nf4(weight, block_size=64):
    array = weight.detach().cpu().numpy().ravel()
    blocks = [array[i : i + block_size] for i in range(0, array.size, block_size)]
    absmax = np.array([np.abs(block).max() for block in blocks], dtype=array.dtype)
    codes = [
        np.searchsorted(EDGES, block / top) if top > 0 else np.full(block.size, 7)
        for block, top in zip(blocks, absmax, strict=True)
    ]
    codes = np.concatenate([*codes, *([[15]] if array.size % 2 else [])]).astype(np.uint8)
    pairs = codes.reshape(-1, 2)
    packed = np.left_shift(pairs[:, 0], 4) + pairs[:, 1]
    return torch.from_numpy(packed).to(weight.device), torch.from_numpy(absmax).to(weight.device)


def dequantize_nf4(packed, absmax, shape, block_size=64):
    data = packed.cpu().numpy()
    codes = np.empty(2 * data.size, dtype=np.uint8)
    codes[0::2], codes[1::2] = data >> 4, data & 0x0F
    total = int(np.prod(tuple(shape), dtype=np.int64))
    tops = absmax.cpu().numpy()
    values = TABLE.astype(tops.dtype)[codes[:total]] * np.repeat(tops, block_size)[:total]
    return torch.from_numpy(values.reshape(tuple(shape))).to(absmax.device)
