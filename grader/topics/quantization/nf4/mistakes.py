"""Known wrong versions of `nf4`."""

from grader.kit import Mistake

ABSMAX = "absmax = blocks.abs().amax(dim=1)"
SCALED = "scaled = blocks / absmax.masked_fill(absmax == 0, 1.0)[:, None]"
CODES = "codes = torch.bucketize(scaled, (levels[1:] + levels[:-1]) / 2, out_int32=True).to(torch.uint8)"
PACKED = "return (codes[0::2] << 4) | codes[1::2], absmax"
UNPACKED = "codes = torch.stack((packed >> 4, packed & 15), dim=1).view(-1)"
ODD = "codes = torch.nn.functional.pad(codes.view(-1)[:n], (0, n % 2))"
BLOCKS = "blocks = torch.nn.functional.pad(flat, (0, -n % block_size)).view(-1, block_size)"
SCALES = "scales = absmax.repeat_interleave(block_size)[:n]"
BACK = "return (levels[codes[:n].int()] * scales).view(shape)"

MISTAKES = [
    Mistake(
        "view-of-the-padded-bytes",
        find=ODD,
        replace="codes = torch.nn.functional.pad(codes.view(-1), (0, codes.numel() % 2))",
        also=((PACKED, "return ((codes[0::2] << 4) | codes[1::2])[: (n + 1) // 2], absmax"),),
        says="Your bytes are the beginning of longer memory, in which the last block is filled up. Cut the "
        "codes before you pack them, or clone what is cut.",
    ),
    Mistake(
        "low-bits-first",
        find=PACKED,
        replace="return codes[0::2] | (codes[1::2] << 4), absmax",
        says="You pack the first of two codes into the low four bits. Element 2j stands in the high ones.",
    ),
    Mistake(
        "low-bits-read-first",
        find="(packed >> 4, packed & 15)",
        replace="(packed & 15, packed >> 4)",
        says="You read the low four bits as the first of two codes. Element 2j stands in the high ones.",
    ),
    Mistake(
        "low-bits-first-in-both",
        find=PACKED,
        replace="return codes[0::2] | (codes[1::2] << 4), absmax",
        also=(("(packed >> 4, packed & 15)", "(packed & 15, packed >> 4)"),),
        says="Both your functions have the first of two codes in the low four bits. They agree with each "
        "other, but not with the format: element 2j stands in the high ones.",
    ),
    Mistake(
        "halves-packed-together",
        find=PACKED,
        replace="half = len(codes) // 2\n    return (codes[:half] << 4) | codes[half:], absmax",
        says="You pack the first half of the codes with the second. Neighbours share a byte: elements 2j "
        "and 2j + 1.",
    ),
    Mistake(
        "all-high-codes-first",
        find="torch.stack((packed >> 4, packed & 15), dim=1).view(-1)",
        replace="torch.cat((packed >> 4, packed & 15))",
        says="You give all the high codes first and then all the low ones. They alternate: byte j holds "
        "elements 2j and 2j + 1.",
    ),
    Mistake(
        "one-absmax-for-all",
        find=ABSMAX,
        replace="absmax = blocks.abs().amax().expand(len(blocks)).clone()",
        says="You take one largest value for the whole weight: one outlier makes all of it coarse. Each "
        "block has its own.",
    ),
    Mistake(
        "column-major",
        find="flat = weight.reshape(-1)",
        replace="flat = weight.permute(*reversed(range(weight.dim()))).reshape(-1)",
        says="You go through the weight column by column. Its order is row-major: the last index runs "
        "fastest.",
    ),
    Mistake(
        "order-of-memory",
        find="flat = weight.reshape(-1)",
        replace="flat = weight.as_strided((weight.numel(),), (1,))",
        says="You take the values as they lie in memory: a transposed weight is quantized in another "
        "order. The order is that of the indices (reshape keeps it).",
    ),
    Mistake(
        "max-without-abs",
        find=ABSMAX,
        replace="absmax = blocks.amax(dim=1)",
        says="You take the largest value with its sign: large negative ones are beyond -1 and cut off. "
        "Take the largest |value|.",
    ),
    Mistake(
        "level-below",
        find=CODES,
        replace="codes = (torch.bucketize(scaled, levels, out_int32=True, right=True) - 1).to(torch.uint8)",
        says="You take the next level below a value. Take the nearest: search among the middles between "
        "the levels.",
    ),
    Mistake(
        "level-above",
        find=CODES,
        replace="codes = torch.bucketize(scaled, levels, out_int32=True).to(torch.uint8)",
        says="You take the next level above a value. Take the nearest: search among the middles between "
        "the levels.",
    ),
    Mistake(
        "evenly-spaced",
        find=CODES,
        replace="codes = ((scaled + 1) * 7.5).round().to(torch.uint8)",
        also=(
            (
                "    levels = torch.tensor(NF4, dtype=absmax.dtype, device=absmax.device)\n",
                "    levels = torch.linspace(-1, 1, 16, dtype=absmax.dtype, device=absmax.device)\n",
            ),
        ),
        says="Your 16 levels are evenly spaced. Those of NF4 lie closer around 0, where most weights are.",
    ),
    Mistake(
        "codes-by-even-steps",
        find=CODES,
        replace="codes = ((scaled + 1) * 7.5).round().to(torch.uint8)",
        says="You find codes as if the levels were evenly spaced, and read them as NF4's. The code is the "
        "number of the nearest of NF4's levels.",
    ),
    Mistake(
        "table-of-distances",
        find=CODES,
        replace="codes = (scaled[..., None] - levels).abs().argmin(dim=-1).to(torch.uint8)",
        says="You make the distances of all values to all 16 levels: 16 times the weight's memory, to save "
        "seven eighths of it. Search among the 15 middles (torch.bucketize), or go through the levels "
        "one by one.",
    ),
    Mistake(
        "not-packed",
        find=PACKED,
        replace="return codes[:n], absmax",
        also=((UNPACKED, "codes = packed"),),
        says="You give each code a byte of its own, so half of the bits are never used. Two codes share a "
        "byte.",
    ),
    Mistake(
        "last-of-an-odd-number-lost",
        find=ODD,
        replace="codes = codes.view(-1)[: n - n % 2]",
        says="Of an odd number of values the last one is lost. It takes the high bits of a last byte.",
    ),
    Mistake(
        "padding-packed-too",
        find=ODD,
        replace="codes = codes.view(-1)\n    codes = torch.nn.functional.pad(codes, (0, len(codes) % 2))",
        says="You pack the zeros as well that fill up the last block. There are ceil(n / 2) bytes for n "
        "values.",
    ),
    Mistake(
        "absmax-repeated-as-a-whole",
        find="absmax.repeat_interleave(block_size)[:n]",
        replace="absmax.repeat(block_size)[:n]",
        says="You repeat all of absmax, one after the other: a, b, a, b. Each value's own block counts: a, "
        "a, b, b (repeat_interleave).",
    ),
    Mistake(
        "blocks-of-zeros-unguarded",
        find=SCALED,
        replace="scaled = blocks / absmax[:, None]",
        says="In a block of zeros you divide 0 by 0: NaN, which is found behind all levels, for example. "
        "Divide by 1 there: then its code is 7, the level 0.",
    ),
    Mistake(
        "eps-added",
        find=SCALED,
        replace="scaled = blocks / (absmax + 1e-8)[:, None]",
        says="You add an eps to absmax: values of blocks that are small themselves are scaled to less than "
        "they are. Only a block of zeros needs another divisor.",
    ),
    Mistake(
        "eps-as-the-least",
        find=ABSMAX,
        replace="absmax = blocks.abs().amax(dim=1).clamp(min=1e-8)",
        says="You take an eps, 1e-8 say, for the absmax of blocks that are smaller (in what you return, or "
        "only where you divide), so their codes are wrong. Divide by the largest |value| itself, however "
        "small; only 0 needs another number.",
    ),
    Mistake(
        "divided-by-no-less-than-1e-12",
        find=SCALED,
        replace="scaled = blocks / absmax.clamp(min=1e-12)[:, None]",
        says="Blocks of very small values all get the code 7: what you divide by is never below some eps, "
        "1e-12 for example (as a bound, or because it is added). Divide by absmax itself; only 0 needs "
        "another number.",
    ),
    Mistake(
        "divided-by-no-less-than-the-least-normal-number",
        find=SCALED,
        replace="scaled = blocks / absmax.clamp(min=torch.finfo(absmax.dtype).tiny)[:, None]",
        says="Blocks of subnormal values have codes too near to 7: what you divide by is never below the "
        "least normal number, finfo.tiny. Divide by absmax itself; only 0 needs another number.",
    ),
    Mistake(
        "one-in-place-of-zero",
        find=ABSMAX,
        replace="absmax = blocks.abs().amax(dim=1)\n    absmax = absmax.masked_fill(absmax == 0, 1.0)",
        says="You give a block of zeros the absmax 1. It is 0; only the division needs another number there.",
    ),
    Mistake(
        "view-of-all-codes",
        find=PACKED,
        replace="codes[0::2] = (codes[0::2] << 4) | codes[1::2]\n    return codes[0::2], absmax",
        says="Your bytes are a view of memory twice as large: half of the bytes there are waste, and live "
        "as long. Make new memory for them (a sum or a clone does).",
    ),
    Mistake(
        "absmax-in-float32",
        find=ABSMAX,
        replace="absmax = blocks.abs().amax(dim=1).float()",
        says="Your absmax is float32, whatever the weight is. It has the weight's dtype.",
    ),
    Mistake(
        "shape-ignored",
        find=BACK,
        replace="return levels[codes[:n].int()] * scales",
        says="Your result is flat. Give it the shape that is asked for.",
    ),
    Mistake(
        "absmax-forgotten",
        find=BACK,
        replace="return (levels[codes[:n].int()] * torch.ones_like(scales)).view(shape)",
        says="You return levels between -1 and 1. Multiply each by the absmax of its block.",
    ),
    Mistake(
        "blocks-of-64-read",
        find=SCALES,
        replace="scales = absmax.repeat_interleave(64)[:n]",
        says="Your dequantize_nf4 never uses its block_size: absmax changes after every 64 values. It "
        "changes after block_size of them; 64 is only the default.",
    ),
    Mistake(
        "weight-divided-in-place",
        find=BLOCKS,
        replace="flat = torch.nn.functional.pad(flat, (0, -n % block_size)) if n % block_size else flat\n"
        "    blocks = flat.view(-1, block_size)",
        also=((SCALED, SCALED.replace("blocks / ", "blocks.div_(").replace("[:, None]", "[:, None])")),),
        says="You overwrite the caller's weight: reshape and view give no copy where its values are "
        "contiguous and fill whole blocks, and then you divide in place (div_ or /=), for example. Make a "
        "new tensor.",
    ),
]
