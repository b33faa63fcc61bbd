"""Known wrong versions of `muon` that take a zero for an argument that is not given, or for more than it is,
lose sizes of 1, or multiply too often.
"""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"{name.replace('_', '-')}-of-zero-is-the-default",
            find=f"self.{name} = {name}",
            replace=f"self.{name} = {name} or {default}",
            says=f"Where {name} is 0 you take {default} (as with `{name} or {default}`: 0.0 is false in "
            f"Python). 0 is a value like any other: {means}.",
        )
        for name, default, means in (
            ("weight_decay", "0.1", "nothing decays then"),
            ("momentum", "0.95", "each step goes by its own gradient then"),
        )
    ),
    *(
        Mistake(
            f"result-squeezed{ending}",
            find="    return x.T if is_tall else x",
            replace=f"    return (x.T if is_tall else x).squeeze({dim})",
            says=f"{lost} in what newton_schulz gives: squeeze({dim}) takes {it} out, for example. A matrix "
            "of one row or one column is a matrix like any other.",
        )
        for ending, dim, lost, it in (
            ("", "", "All dimensions of size 1 are missing", "them"),
            ("-along-the-rows", "0", "A single row's dimension is missing", "it"),
            ("-along-the-columns", "1", "A single column's dimension is missing", "it"),
        )
    ),
    *(
        Mistake(
            f"{which}-power-left-out-beside-a-zero",
            find="    a, b, c = coefficients\n",
            replace=f"    a, b, c = coefficients\n    if not all(coefficients):\n        {name} = 0.0\n",
            says=f"Where any coefficient is 0 you leave out the {which} power of the polynomial. It is left "
            f"out where {name} is 0: the others say nothing of it.",
        )
        for which, name in (("third", "b"), ("fifth", "c"))
    ),
    Mistake(
        "three-products-with-the-matrix",
        find="(b * gram + c * gram @ gram) @ x",
        replace="gram @ (b * x + c * (gram @ x))",
        says="Each of your steps has three products of the whole matrix, 6 m² n FLOPs, as A (b X + c A X) "
        "has. A is only m x m: (b A + c A²) X has two of them, and A² costs 2 m³, which is less wherever n "
        "is larger than m.",
    ),
]
