"""Known wrong versions of `weight_init` whose numbers are cut off, few, or repeated."""

from grader.kit import Mistake

LINES = {
    "xavier": ("xavier_uniform_", "    return weight.uniform_(-limit, limit)"),
    "kaiming": ("kaiming_normal_", "    return weight.normal_(0.0, std)"),
    "bert": ("init_bert_", "        module.weight.normal_(0.0, std)"),
}
"""By a short name: each function, and the line that draws."""
BOTH = ("kaiming", "bert")


def drawn(uniform: str, normal: str) -> dict[str, str]:
    """What stands for each line: expressions in `{0}`, the weight, that draw for a limit or std of 1."""
    own = {"xavier": f"({uniform}) * limit", "kaiming": f"({normal}) * std", "bert": f"({normal}) * std"}
    return {
        name: f"{line.split('weight.')[0]}weight.copy_({own[name].format(tensor)})"
        for name, (_, line) in LINES.items()
        for tensor in ["module.weight" if name == "bert" else "weight"]
    }


CUT_OFF = {name: f"{LINES[name][1]}.clamp_(-3.5 * std, 3.5 * std)" for name in BOTH}
FEW = drawn(
    "(torch.randint_like({0}, 64) * 2 - 63) / 63.99",
    "torch.special.ndtri((torch.randint_like({0}, 1024).double() + 0.5) / 1024)",
)
REPEATED = ".repeat(-(-{0}.numel() // 2**16))[: {0}.numel()].view({0}.shape)"
POOL = drawn(
    f"2 * torch.rand(2**16, device={{0}}.device){REPEATED} - 1",
    f"torch.randn(2**16, device={{0}}.device){REPEATED}",
)


SEVERAL = "({} if drawn.numel() > 2 else {})"


def brought(centre: str, scale: str) -> dict[str, str]:
    """What stands for each line where `drawn` is brought to a mean of 0, and to its spread: by `scale`, in
    which {} is that of the distribution.
    """
    lines = {}
    for name, (_, line) in LINES.items():
        begun, tensor = line.split("weight.")[0], "module.weight" if name == "bert" else "weight"
        space = " " * (len(begun) - len(begun.lstrip()))
        draw = f"torch.rand_like({tensor}) * 2 - 1" if name == "xavier" else f"torch.randn_like({tensor})"
        std, own = ("limit / math.sqrt(3)", "limit") if name == "xavier" else ("std", "std")
        lines[name] = f"{space}drawn = {draw}\n{space}drawn = drawn{centre}\n{begun}weight.copy_(drawn * "
        one = "math.sqrt(1 / 3)" if name == "xavier" else "1"
        lines[name] += f"({std}) / {scale.format(one)})" if scale else f"{own})"
    return lines


def mistake(how: str, lines: dict[str, str], names: tuple[str, ...], says: str) -> Mistake:
    """In these functions."""
    edits = tuple((LINES[name][1], lines[name]) for name in names)
    functions = ", ".join(LINES[name][0] for name in names)
    return Mistake(
        f"{'-and-'.join(names)}-{how}",
        find=edits[0][0],
        replace=edits[0][1],
        also=edits[1:],
        says=f"In {functions} {says}",
    )


MISTAKES = [
    *(
        mistake(
            "cut-off",
            CUT_OFF,
            names,
            "no number lies further off than some three or four standard deviations. The normal distribution "
            "has no end: of 100,000 numbers some lie beyond four. Draw without a bound (normal_, randn).",
        )
        for names in (("kaiming",), ("bert",), BOTH)
    ),
    *(
        mistake(
            "of-few-values",
            FEW,
            names,
            "only a few different numbers are drawn: random integers that are scaled, or numbers of half "
            "precision, for example. Draw real ones: uniform_, normal_, torch.rand, torch.randn.",
        )
        for names in (("xavier",), ("kaiming",), ("bert",), BOTH, ("xavier", *BOTH))
    ),
    *(
        mistake(
            "from-a-pool",
            POOL,
            names,
            "the numbers of a large weight repeat: so many are drawn and used again and again, for example. "
            "Each element is drawn by itself, however many there are.",
        )
        for names in (("xavier",), ("kaiming",), ("bert",), BOTH, ("xavier", *BOTH))
    ),
    *(
        mistake(
            how,
            lines,
            names,
            f"what is drawn is {what} afterwards, so a weight of one number {one}, and in a small one each "
            "number depends on the others. Each is drawn by itself: the mean and the variance are those of "
            "the distribution, and what is drawn only comes near to them.",
        )
        for how, lines, what, one in (
            (
                "standardized",
                brought(" - drawn.mean()", "drawn.std(correction=0)"),
                "brought to a mean of 0 and to the standard deviation",
                "is NaN",
            ),
            (
                "standardized-where-there-are-several",
                brought(
                    f" - {SEVERAL.format('drawn.mean()', '0')}",
                    SEVERAL.format("drawn.std(correction=0)", "{}"),
                ),
                "brought to a mean of 0 and to the standard deviation",
                "is spared",
            ),
            ("centred", brought(" - drawn.mean()", ""), "brought to a mean of 0", "is always 0"),
            (
                "rescaled",
                brought("", "drawn.square().mean().sqrt()"),
                "brought to the mean square",
                "is always one of two",
            ),
        )
        for names in (("xavier",), ("kaiming",), ("xavier", "kaiming"), ("bert",))
        # No small module of the checks has a weight of one number.
        if not (names == ("bert",) and how.endswith("several"))
    ),
]
