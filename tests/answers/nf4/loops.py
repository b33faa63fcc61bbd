"""Block by block and value by value in plain Python; bytes by arithmetic; prints at import."""

import torch

# given
NF4 = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941),
    *(0.7229568362236023, 1.0),
)
# end given

print("nf4 loaded")


def nearest(ratio):
    best = 0
    for code, level in enumerate(NF4):
        if abs(level - ratio) < abs(NF4[best] - ratio):
            best = code
    return best


def quantize_nf4(weight, block_size=64):
    values = weight.flatten().tolist()
    codes, tops = [], []
    for i in range(0, len(values), block_size):
        block = values[i : i + block_size]
        top = max(abs(v) for v in block)
        tops.append(top)
        codes.extend(nearest(v / top) if top else 7 for v in block)
    if len(codes) % 2 == 1:
        codes.append(0)
    data = bytes(codes[i] * 16 + codes[i + 1] for i in range(0, len(codes), 2))
    packed = torch.tensor(list(data), dtype=torch.uint8, device=weight.device)
    return packed, torch.tensor(tops, dtype=weight.dtype, device=weight.device)


def dequantize_nf4(packed, absmax, shape, block_size=64):
    codes = []
    for byte in packed.tolist():
        codes += divmod(byte, 16)
    n = 1
    for size in shape:
        n *= size
    tops = absmax.tolist()
    values = [NF4[codes[i]] * tops[i // block_size] for i in range(n)]
    return torch.tensor(values, dtype=absmax.dtype, device=absmax.device).reshape(tuple(shape))
