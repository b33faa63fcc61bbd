"""Known wrong versions of `muon`: Newton-Schulz."""

from grader.kit import Mistake

TALL = "is_tall = matrix.shape[0] > matrix.shape[1]"
NORMALIZED = "x = x / (x.norm() + eps)"
GRAM = "gram = x @ x.T"
STEP = "x = a * x + (b * gram + c * gram @ gram) @ x"
LOOP = f"""\
    for _ in range(steps):
        {GRAM}  # (m, m)
        {STEP}
"""

MISTAKES = [
    Mistake(
        "gradient-taken-for-the-buffer",
        find="[torch.zeros_like(param) for param in self.params]",
        replace="[None for param in self.params]",
        also=(
            (
                "zip(self.params, self.buffers, strict=True):",
                "zip(self.params, range(len(self.params)), strict=True):",
            ),
            (
                "                buffer.mul_(self.momentum).add_(param.grad)\n",
                """\
                number, buffer = buffer, self.buffers[buffer]
                buffer = param.grad if buffer is None else buffer.mul_(self.momentum).add_(param.grad)
                self.buffers[number] = buffer
""",
            ),
        ),
        says="The first gradient itself becomes the buffer, so every later step writes into a tensor that "
        "the caller may still hold, or computes with a gradient that was filled anew. Clone it.",
    ),
    Mistake(
        "tall-not-transposed",
        find=TALL,
        replace="is_tall = False",
        says="You do not transpose tall matrices. The values are right, but the Gram matrix has the size of "
        "the larger side: (rows, rows) for a matrix of few columns. Transpose, and transpose back.",
    ),
    Mistake(
        "wide-transposed",
        find=TALL,
        replace="is_tall = matrix.shape[0] < matrix.shape[1]",
        says="You transpose wide matrices instead of tall ones, so that the Gram matrix always has the "
        "size of the larger side. X Xᵀ is small when X has few rows.",
    ),
    Mistake(
        "square-transposed-back",
        find="return x.T if is_tall else x",
        replace="return x.T if matrix.shape[0] >= matrix.shape[1] else x",
        says="You transpose square matrices back that you have not transposed: the two conditions differ "
        "where both sizes are the same (> and >=). Ask once, and keep the answer.",
    ),
    Mistake(
        "not-transposed-back",
        find="return x.T if is_tall else x",
        replace="return x",
        says="You transpose a tall matrix and do not transpose the result back.",
    ),
    Mistake(
        "not-normalized",
        find=NORMALIZED,
        replace="x = x + 0",
        says="You do not divide by the Frobenius norm first. Beyond a singular value of about 1.2 the "
        "polynomial runs away: the numbers explode.",
    ),
    Mistake(
        "rows-normalized",
        find=NORMALIZED,
        replace="x = x / (x.norm(dim=1, keepdim=True) + eps)",
        says="You normalize each row. That changes the singular vectors, and does not bound the singular "
        "values by 1. Divide by one number, the Frobenius norm.",
    ),
    *(
        Mistake(
            f"rows-normalized{ending}",
            find=find,
            replace=replace,
            also=also,
            says=f"You normalize each row{of} by itself: that is what F.normalize does if nothing is said, "
            "for example. It changes the singular vectors, and does not bound the singular values by 1. "
            "Divide by one number, the Frobenius norm.",
        )
        for ending, find, replace, also, of in (
            (
                "-at-least-eps",
                NORMALIZED,
                "x = torch.nn.functional.normalize(x, eps=eps)",
                (),
                "",
            ),
            (
                "-before-the-transpose",
                TALL,
                f"{TALL}\n    matrix = torch.nn.functional.normalize(matrix, eps=eps)",
                ((f"    {NORMALIZED}", "    x = x + 0"),),
                " of the matrix as it was given",
            ),
        )
    ),
    Mistake(
        "divided-by-the-spectral-norm",
        find=NORMALIZED,
        replace="""\
v = x.new_ones(x.shape[1])
    for _ in range(200):
        v = x.T @ (x @ v)
        v = v / (v.norm() + eps)
    x = x / ((x @ v).norm() + eps)""",
        says="You divide by the largest singular value. Here it is the Frobenius norm: it costs next to "
        "nothing, and is never less.",
    ),
    Mistake(
        "normalized-in-every-step",
        find=GRAM,
        replace="x = x / (x.norm() + eps)\n        gram = x @ x.T",
        says="You divide by the norm in every step, which brings the singular values down again. Once, "
        "before the loop.",
    ),
    Mistake(
        "nan-for-zeros",
        find=NORMALIZED,
        replace="x = x / x.norm()",
        says="For zeros you divide 0 by 0, and get NaN. Add eps to the norm, or let it be no less than eps.",
    ),
    Mistake(
        "exact-polar-factor",
        find=LOOP,
        replace="""\
    for _ in range(60):
        x = 1.5 * x - 0.5 * (x @ x.T) @ x
""",
        says="You give U Vᵀ, with all singular values 1: the iteration runs until it has converged, for "
        "example. Asked is what comes of `steps` steps with the given coefficients, which is rough and "
        "cheap.",
    ),
    Mistake(
        "cubic-only",
        find=STEP,
        replace="x = a * x + b * gram @ x",
        says="You leave out c A²: the polynomial has three terms, a s + b s³ + c s⁵.",
    ),
    Mistake(
        "coefficients-swapped",
        find="a, b, c = coefficients",
        replace="a, c, b = coefficients",
        says="You take the second coefficient for A² and the third for A. It is b A + c A².",
    ),
    Mistake(
        "default-coefficients-always",
        find="a, b, c = coefficients",
        replace="a, b, c = 3.4445, -4.7750, 2.0315",
        says="You never use the argument coefficients.",
    ),
    Mistake(
        "gram-on-the-wrong-side",
        find=GRAM,
        replace="gram = x.T @ x",
        says="Your A is Xᵀ X, which is (cols, cols) and cannot be multiplied with X from the left. A = X Xᵀ.",
    ),
    Mistake(
        "gram-squared-after-its-coefficient",
        find=STEP,
        replace="gram = b * gram\n        x = a * x + (gram + c * gram @ gram) @ x",
        says="Your last term is c (b A)²: A is already multiplied by b where you square it (in place, for "
        "example). It is c A², of the Gram matrix as it was.",
    ),
    Mistake(
        "gram-squared-by-entries",
        find=STEP,
        replace="x = a * x + (b * gram + c * gram**2) @ x",
        says="gram ** 2 squares each entry. A² is the product of the matrix with itself: gram @ gram.",
    ),
    Mistake(
        "five-steps-always",
        find="for _ in range(steps):",
        replace="for _ in range(5):",
        says="You always take five steps. The argument steps says how many.",
    ),
    Mistake(
        "one-step-less",
        find="for _ in range(steps):",
        replace="for _ in range(steps - 1):",
        says="You take one step too few: steps - 1.",
    ),
    Mistake(
        "matrix-normalized-in-place",
        find=NORMALIZED,
        replace="x = x.div_(x.norm() + eps)",
        says="You divide the caller's own matrix in place (x.T and x are views of it). Make a new tensor.",
    ),
    Mistake(
        "three-products",
        find=STEP,
        replace="x = a * x + b * gram @ x + c * gram @ (gram @ x)",
        says="You multiply with X twice in a step (three products with the Gram matrix's own). Add b A and "
        "c A² first, which are small, and multiply with X once.",
    ),
    Mistake(
        "default-nesterov",
        find="nesterov: bool = True",
        replace="nesterov: bool = False",
        says="Your Muon leaves nesterov off by default. It is on: nesterov=True.",
    ),
    *(
        Mistake(
            f"default-coefficient-{name}",
            find="(3.4445, -4.7750, 2.0315)",
            replace=wrong,
            says=f"Your default {name} is mistyped: the coefficients are 3.4445, -4.7750 and 2.0315.",
        )
        for name, wrong in [
            ("a", "(3.4455, -4.7750, 2.0315)"),
            ("b", "(3.4445, -4.7550, 2.0315)"),
            ("c", "(3.4445, -4.7750, 2.0135)"),
        ]
    ),
]
