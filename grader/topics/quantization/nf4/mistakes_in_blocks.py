"""Known wrong versions of `nf4`: blocks, signs, types, and whose bytes are written to."""

from dataclasses import replace

from grader.kit import Mistake

ABSMAX = "absmax = blocks.abs().amax(dim=1)"
ODD = "codes = torch.nn.functional.pad(codes.view(-1)[:n], (0, n % 2))"
CODES = "codes = torch.bucketize(scaled, (levels[1:] + levels[:-1]) / 2, out_int32=True).to(torch.uint8)"
READ = "codes = torch.stack((packed >> 4, packed & 15), dim=1).view(-1)"
SCALES = "scales = absmax.repeat_interleave(block_size)[:n]"
BACK = "return (levels[codes[:n].int()] * scales).view(shape)"

PACKED_APART = Mistake(
    "blocks-packed-apart",
    find=ODD,
    replace="codes = codes.view(-1)[:n].split(block_size)\n"
    "    codes = torch.cat([torch.nn.functional.pad(each, (0, len(each) % 2)) for each in codes])",
    also=(
        (
            READ,
            f"{READ}\n"
            "    codes = [each[:block_size] for each in codes.split(block_size + block_size % 2)]\n"
            "    codes = torch.cat(codes)",
        ),
        (BACK, "return (levels[codes[:n].int()] * scales[: len(codes)]).view(shape)"),
    ),
    says="You pack every block for itself, so that each block of an odd size begins a new byte: there "
    "are too many bytes. The codes of all blocks follow each other without gaps.",
)

BLOCKS = "blocks = torch.nn.functional.pad(flat, (0, -n % block_size)).view(-1, block_size)"
BY_ROWS = """\
width = weight.shape[-1] if weight.dim() else 1
    rows = flat.view(-1, width)
    blocks = torch.nn.functional.pad(rows, (0, -width % block_size)).view(-1, block_size)"""
CUT_BY_ROWS = (ODD, ODD.replace("codes.view(-1)[:n]", "codes.view(len(rows), -1)[:, :width].reshape(-1)"))
READ_BY_ROWS = (
    (
        SCALES,
        """\
width = tuple(shape)[-1] if len(shape) else 1
    scales = absmax.view(-1, -(-width // block_size))
    scales = scales.repeat_interleave(block_size, dim=1)[:, :width]""",
    ),
    (BACK, "return (levels[codes[:n].int()].view(-1, width) * scales).view(shape)"),
)
ONE_SEQUENCE = (
    "The values are one sequence in row-major order: a block goes on into the next row, and the last one "
    "alone may be shorter."
)

MISTAKES = [
    Mistake(
        "blocks-begin-in-each-row",
        find=BLOCKS,
        replace=BY_ROWS,
        also=(CUT_BY_ROWS, *READ_BY_ROWS),
        says="Your blocks begin anew in each row (along the last dimension), so there are more of them, and "
        "shorter ones, where block_size does not divide the rows. The values are one sequence in row-major "
        "order: a block goes on into the next row.",
    ),
    Mistake(
        "blocks-begin-in-each-row-in-quantizing",
        find=BLOCKS,
        replace=BY_ROWS,
        also=(CUT_BY_ROWS,),
        says="In quantize_nf4 your blocks begin anew in each row (along the last dimension) where block_size "
        f"does not divide the rows. {ONE_SEQUENCE}",
    ),
    Mistake(
        "blocks-begin-in-each-row-in-reading",
        find=READ_BY_ROWS[0][0],
        replace=READ_BY_ROWS[0][1],
        also=READ_BY_ROWS[1:],
        says="dequantize_nf4 begins with another absmax in each row (along the last dimension), also where "
        f"block_size does not divide the rows. {ONE_SEQUENCE}",
    ),
    *(
        Mistake(
            f"rows-filled-up-to-whole-blocks{id}",
            find=BLOCKS,
            replace=BY_ROWS,
            also=(
                (ODD, "codes = torch.nn.functional.pad(codes.view(-1), (0, codes.numel() % 2))"),
                (
                    BACK,
                    f"""\
width = tuple(shape)[-1] if len(shape) else 1
    codes = codes[: n // width * (width + -width % block_size)]
    values = levels[codes.int()].view({count}, block_size) * absmax[:, None]
    return values.reshape(n // width, -1)[:, :width].reshape(shape)""",
                ),
            ),
            says="You fill up each row to whole blocks, and pack what fills it up as well, so there are more "
            "bytes and more blocks than asked for: ceil(n / 2) bytes for n values. The values are one "
            "sequence in row-major order: a block goes on into the next row, and what fills up the last one "
            "is not packed.",
        )
        for id, count in (("", "-1"), ("-by-their-number", "len(absmax)"))
    ),
    Mistake(
        "divided-by-the-value-with-its-sign",
        find=ABSMAX,
        replace="absmax = blocks.gather(1, blocks.abs().argmax(dim=1, keepdim=True)).squeeze(1)",
        says="You divide a block by its value of largest size with that value's sign, so absmax is negative "
        "in some blocks and their codes are mirrored. absmax is the largest |value|.",
    ),
    PACKED_APART,
    replace(
        PACKED_APART,
        id="blocks-packed-and-filled-apart",
        also=(
            (
                BACK,
                """\
result = torch.empty(n, dtype=absmax.dtype, device=absmax.device)
    own_codes = codes.split(block_size + block_size % 2)
    for block, own, largest in zip(result.split(block_size), own_codes, absmax):
        block[:] = levels[own[: len(block)].int()] * largest
    return result.view(shape)""",
            ),
        ),
    ),
    Mistake(
        "bytes-shifted-in-place",
        find=READ,
        replace="low = packed & 15\n    packed >>= 4\n    codes = torch.stack((packed, low), dim=1).view(-1)",
        says="dequantize_nf4 shifts packed in place (>>=), so the caller's bytes are lost. Make a new "
        "tensor: packed >> 4.",
    ),
    Mistake(
        "absmax-kept-in-two-dimensions",
        find=ABSMAX,
        replace=f"{ABSMAX}[:, None]",
        also=(("absmax.masked_fill(absmax == 0, 1.0)[:, None]", "absmax.masked_fill(absmax == 0, 1.0)"),),
        says="Your absmax has the shape (blocks, 1). It has one dimension: (blocks,).",
    ),
    Mistake(
        "given-back-in-float32",
        find=BACK,
        replace="return (levels[codes[:n].int()] * scales).view(shape).float()",
        says="dequantize_nf4 gives float32 whatever absmax is. The result has absmax's dtype.",
    ),
    Mistake(
        "levels-on-the-default-device",
        find="levels = torch.tensor(NF4, dtype=absmax.dtype, device=absmax.device)",
        replace="levels = torch.tensor(NF4, dtype=absmax.dtype)",
        says="dequantize_nf4 makes the levels on the default device. They belong beside packed and absmax.",
    ),
    Mistake(
        "blocks-without-padding",
        find="blocks = torch.nn.functional.pad(flat, (0, -n % block_size)).view(-1, block_size)",
        replace="blocks = flat.view(-1, block_size)",
        says="You take it for granted that block_size divides the number of values. The last block may be "
        "shorter.",
    ),
    Mistake(
        "last-short-block-dropped",
        find="blocks = torch.nn.functional.pad(flat, (0, -n % block_size)).view(-1, block_size)",
        replace="blocks = flat[: max(n // block_size, 1) * block_size].view(-1, min(block_size, n))",
        says="You leave out the last block where it is shorter than block_size. It is quantized as well.",
    ),
    Mistake(
        "codes-never-split",
        find=READ,
        replace="codes = torch.stack((packed // 16, packed), dim=1).view(-1) & 15",
        also=((SCALES, "scales = absmax[0].expand(n)"),),
        says="dequantize_nf4 multiplies all values by the first block's absmax. Each block has its own.",
    ),
    Mistake(
        "one-absmax-for-both-of-a-byte",
        find=SCALES,
        replace="first = torch.arange(0, 2 * len(packed), 2, device=packed.device)\n"
        "    scales = absmax[first // block_size].repeat_interleave(2)[:n]",
        says="You multiply both values of a byte by the absmax of the first one's block. Where a block of an "
        "odd size ends within the byte, the second value belongs to the next: take element i's absmax at "
        "i // block_size.",
    ),
    Mistake(
        "blocks-counted-in-bytes",
        find=SCALES,
        replace="scales = absmax[torch.arange(n, device=packed.device) // 2 // block_size]",
        says="dequantize_nf4 counts block_size bytes to a block. It is block_size values, two of which share "
        "a byte.",
    ),
    *(
        Mistake(
            f"whole-bytes-to-a-block-{name}",
            find=SCALES,
            replace=f"""\
blocks = torch.arange(n, device=packed.device) // 2 // max({count}, 1)
    scales = absmax[blocks.clamp(max=len(absmax) - 1)]""",
            says="dequantize_nf4 takes as many whole bytes to each block, which is right for an even "
            "block_size only. Where it is odd a byte holds the last value of one block and the first of the "
            "next: take element i's absmax at i // block_size.",
        )
        for name, count in (("rounded-down", "block_size // 2"), ("rounded-up", "(block_size + 1) // 2"))
    ),
    Mistake(
        "absmax-one-block-late",
        find=SCALES,
        replace="scales = absmax.roll(1).repeat_interleave(block_size)[:n]",
        says="dequantize_nf4 multiplies each block by the absmax of the one before. Each has its own.",
    ),
    Mistake(
        "divided-by-absmax-on-the-way-back",
        find=BACK,
        replace="return (levels[codes[:n].int()] / scales).view(shape)",
        says="dequantize_nf4 divides by absmax. quantize_nf4 has divided by it: multiply.",
    ),
    Mistake(
        "mean-for-the-largest",
        find=ABSMAX,
        replace="absmax = blocks.abs().mean(dim=1)",
        says="You divide by the mean |value| of a block, so what is larger is cut off. Take the largest.",
    ),
    Mistake(
        "blocks-of-zeros-coded-as-0",
        find=CODES,
        replace=f"{CODES}\n    codes = codes * (absmax != 0)[:, None]",
        says="In a block of zeros your codes are 0, which is the level -1. They are 7, the level 0.",
    ),
    Mistake(
        "blocks-of-zeros-coded-as-8",
        find=CODES,
        replace=f"{CODES}\n    codes = codes + (absmax == 0)[:, None].to(torch.uint8)",
        says="In a block of zeros your codes are 8, the first level above 0. They are 7, the level 0.",
    ),
    Mistake(
        "codes-in-the-reverse-order",
        find=CODES,
        replace=f"{CODES}\n    codes = 15 - codes",
        also=(("levels[codes[:n].int()]", "levels[15 - codes[:n].int()]"),),
        says="You count the levels from above. Code 0 is NF4[0], which is -1, and 15 is NF4[15].",
    ),
    *(
        Mistake(
            f"bytes-in-{dtype}",
            find=CODES,
            replace=CODES.replace("torch.uint8", f"torch.{dtype}"),
            says=f"Your packed codes are {dtype}: {size} bytes for each pair of codes. It has to be uint8, "
            "which is one.",
        )
        for dtype, size in (("int64", "eight"), ("int32", "four"))
    ),
    Mistake(
        "codes-moved-by-three-bits",
        find="return (codes[0::2] << 4) | codes[1::2], absmax",
        replace="return (codes[0::2] << 3) | codes[1::2], absmax",
        says="You move the first code by three bits, so the two overlap. A code has four.",
    ),
    Mistake(
        "low-bits-cut-to-three",
        find=READ,
        replace=READ.replace("packed & 15", "packed & 7"),
        says="You read three bits of the second code (& 7). It has four: & 15.",
    ),
    Mistake(
        "largest-of-the-last-block-size-values",
        find=ABSMAX,
        replace=f"{ABSMAX}\n    absmax[-1] = flat[-block_size:].abs().amax()",
        says="You take the absmax of a shorter last block over the last block_size values, of which some "
        "belong to the block before: flat[-block_size:], for example. Its own values begin where the whole "
        "blocks end.",
    ),
]
