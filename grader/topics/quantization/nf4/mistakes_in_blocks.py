"""Known wrong versions of `nf4`: blocks, signs, types, and whose bytes are written to."""

from grader.kit import Mistake

ABSMAX = "absmax = blocks.abs().amax(dim=1)"
ODD = "codes = torch.nn.functional.pad(codes.view(-1)[:n], (0, n % 2))"
READ = "codes = torch.stack((packed >> 4, packed & 15), dim=1).view(-1)"
SCALES = "scales = absmax.repeat_interleave(block_size)[:n]"
BACK = "return (levels[codes[:n].int()] * scales).view(shape)"

MISTAKES = [
    Mistake(
        "divided-by-the-value-with-its-sign",
        find=ABSMAX,
        replace="absmax = blocks.gather(1, blocks.abs().argmax(dim=1, keepdim=True)).squeeze(1)",
        says="You divide a block by its value of largest size with that value's sign, so absmax is negative "
        "in some blocks and their codes are mirrored. absmax is the largest |value|.",
    ),
    Mistake(
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
]
