"""Known wrong versions of `muon` that compute in a smaller dtype."""

from grader.kit import Mistake

MATRIX = "x = matrix.T if is_tall else matrix"
RESULT = "return x.T if is_tall else x"
GIVEN_BACK = (RESULT, f"x = x.to(matrix.dtype)\n    {RESULT}")
DIRECTION = "direction = newton_schulz(update, self.ns_steps)"

MISTAKES = [
    Mistake(
        "in-bfloat16",
        find=MATRIX,
        replace=f"{MATRIX}\n    x = x.bfloat16()",
        also=(GIVEN_BACK,),
        says="You compute in bfloat16, as Muon does on GPUs (or in float16, or you round to one of them): "
        "two or three digits are left. Here it is the dtype of the matrix.",
    ),
    Mistake(
        "in-bfloat16-and-left-so",
        find=MATRIX,
        replace=f"{MATRIX}\n    x = x.bfloat16()",
        says="You compute in bfloat16, as Muon does on GPUs, and give the result in it. Here both are in the "
        "dtype of the matrix.",
    ),
    Mistake(
        "in-float16",
        find=MATRIX,
        replace=f"{MATRIX}\n    x = x.half()",
        also=(GIVEN_BACK,),
        says="You compute in float16, which leaves three digits, and in which a small eps is 0: zeros give "
        "NaN. Here it is the dtype of the matrix.",
    ),
    Mistake(
        "in-float32",
        find=MATRIX,
        replace=f"{MATRIX}\n    x = x.float()",
        also=(GIVEN_BACK,),
        says="You compute in float32, or round to it, whatever the matrix is. Compute in its own dtype: of "
        "float64 half of the digits are lost.",
    ),
    Mistake(
        "float32-always",
        find=MATRIX,
        replace=f"{MATRIX}\n    x = x.float()",
        says="You compute in float32 and give it, whatever the matrix is. Keep its dtype.",
    ),
    Mistake(
        "steps-in-bfloat16",
        find=DIRECTION,
        replace="direction = newton_schulz(update.bfloat16(), self.ns_steps)",
        says="Your steps orthogonalize in bfloat16 (or float16), or round the result to it, though "
        "newton_schulz by itself does not: two or three digits are left. Here all is in the dtype of the "
        "parameters.",
    ),
]
