"""Known wrong versions of `rms_norm` in half precision: eps in its branch, and what is rounded."""

from grader.kit import Mistake

IS_HALF = "x.dtype != wide.dtype"

MISTAKES = [
    Mistake(
        "root-rounded-to-half-precision",
        find="normalized = wide * torch.rsqrt(mean_square + self.eps)",
        replace="normalized = x * torch.rsqrt(mean_square + self.eps).to(x.dtype)",
        says="You round 1 / sqrt(mean square + eps) to the dtype of x before you multiply by it. With "
        "a small eps it is infinite in float16, which ends at 65504, for a vector of zeros, and 0 * inf is "
        "NaN. Multiply in float32, and round the product.",
    ),
    Mistake(
        "product-in-half-precision",
        find="        return (self.weight * normalized).to(x.dtype)",
        replace="""\
        weighted = x * self.weight
        return (weighted * torch.rsqrt(mean_square + self.eps)).to(x.dtype)""",
        says="You multiply x by the weight in half precision before you divide by the root. The product of "
        "two float16 numbers of 300 is inf, and stays it. Divide first, or multiply in float32.",
    ),
    *(
        Mistake(
            f"eps-{name}-in-half-precision",
            find="torch.rsqrt(mean_square + self.eps)",
            replace=f"({other} if {IS_HALF} else torch.rsqrt(mean_square + self.eps))",
            says=f"For float16 and bfloat16 you {what}, in float32 and float64 it is right. It is the "
            "same formula for all: eps is added to the mean square, inside the root. Convert x, and leave "
            "the rest to one line.",
        )
        for name, other, what in (
            ("outside-the-root", "1 / (torch.sqrt(mean_square) + self.eps)", "add eps to the root"),
            ("left-out", "torch.rsqrt(mean_square)", "leave eps out"),
            ("fixed", "torch.rsqrt(mean_square + 1e-6)", "always add 1e-6, whatever eps is"),
            ("as-a-floor", "torch.rsqrt(mean_square.clamp(min=self.eps))", "take eps as a floor"),
        )
    ),
]
