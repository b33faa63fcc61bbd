"""Known wrong versions of `int8_linear` whose largest whole number is not 127, or of another value."""

from grader.kit import Mistake

SCALE = "scale = x.abs().amax(dim=-1, keepdim=True) / 127"
ROUND = "torch.round(x / scale)"
CLAMPED = (ROUND, ROUND + ".clamp(-127, 127)")

MISTAKES = [
    *(
        Mistake(
            f"divided-by-127.5{ending}",
            find=SCALE,
            replace=SCALE + ".5",
            also=((ROUND, ROUND + clamped),) if clamped else (),
            says="You divide by 127.5, half of the way from -128 to 127. A row's largest |x| becomes 127.5, "
            f"between two whole numbers, and {then}. Divide by 127: the numbers go from -127 to 127.",
        )
        for ending, clamped, then in (
            ("", "", "is rounded up: int8 has no 128, which wraps around to -128"),
            ("-and-clamped", ".clamp(-128, 127)", "comes back as another one than it was"),
            ("-and-clamped-at-127", ".clamp(-127, 127)", "comes back too small when it is cut to 127"),
        )
    ),
    Mistake(
        "divided-by-128-and-clamped-at-127",
        find=SCALE,
        replace=SCALE.replace("127", "128"),
        also=((ROUND, ROUND + ".clamp(-127, 127)"),),
        says="You divide by 128 and cut off at -127 and 127, so a row's largest value comes back too small. "
        "Divide by 127: then the largest is 127, and nothing is cut off.",
    ),
    Mistake(
        "max-without-abs-and-clamped",
        find=SCALE,
        replace=SCALE.replace(".abs()", ""),
        also=(CLAMPED,),
        says="You take the largest value with its sign, so a negative one that is larger in magnitude is cut "
        "off, and a row of negative values has a negative scale. Take the largest |x|.",
    ),
    *(
        Mistake(
            f"abs-of-the-largest{ending}",
            find=SCALE,
            replace=SCALE.replace("x.abs()", "x").replace(" / 127", ".abs() / 127"),
            also=also,
            says="You take the absolute value of the largest x, or the larger one of max and min (it is -min "
            f"that counts). So a negative value that is larger in magnitude {then}. Take the largest |x|: "
            "x.abs().amax().",
        )
        for ending, also, then in (
            ("", (), "is beyond -127 and wraps around in int8"),
            ("-and-clamped", (CLAMPED,), "is cut off"),
        )
    ),
    Mistake(
        "scale-of-half-the-range",
        find=SCALE,
        replace="scale = (x.amax(dim=-1, keepdim=True) - x.amin(dim=-1, keepdim=True)) / 254",
        also=(CLAMPED,),
        says="Your scale is that of the range, (max - min) / 254, which belongs to a zero point in its "
        "middle. Here 0 stays 0: the scale is max |x| / 127, and nothing is cut off.",
    ),
]
