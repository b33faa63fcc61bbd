"""Known wrong versions of `clip_grad_norm_`: walks over parameters, whom it scales, what it gives back."""

from grader.kit import Mistake

FOUND = "param.grad is not None]"
GRADS = f"grads = [param.grad.detach() for param in parameters if {FOUND}"
NORM = "norm = torch.linalg.vector_norm(norms, norm_type)"
MATH = ("import torch\n", "import math\n\nimport torch\n")
ALL = "flat = torch.cat([grad.reshape(-1) for grad in grads])"
COMPARED = "factor = torch.where(norm > max_norm, max_norm / (norm + 1e-6), torch.ones_like(norm))"
FACTOR = "factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)"
LOOP = """\
    for grad in grads:
        grad.mul_(factor)
"""
GIVEN = "    return norm\n"

MISTAKES = [
    Mistake(
        "iterator-walked-to-the-first",
        find=f"    {GRADS}",
        replace="    if not any(param.grad is not None for param in parameters):\n"
        f"        return torch.zeros(())\n    {GRADS}",
        says="Of an iterator the parameters up to the first gradient are neither counted nor clipped: you "
        "walk there to see whether there is any (with any() or next(), for example), and the second walk "
        "goes on behind it. Make a list first.",
    ),
    Mistake(
        "ended-at-a-missing-gradient",
        find=f"    {GRADS}",
        replace="    grads = []\n"
        "    for param in parameters:\n"
        "        if param.grad is None:\n"
        "            break\n"
        "        grads.append(param.grad.detach())",
        says="You stop at the first parameter without a gradient: a break in the place of continue. Skip it, "
        "and go on with the next one.",
    ),
    Mistake(
        "tensors-that-require-nothing-left-out",
        find=FOUND,
        replace="param.grad is not None and param.requires_grad]",
        says="You leave out tensors with requires_grad=False, though they have a gradient in .grad. What is "
        "skipped is a parameter whose gradient is None.",
    ),
    Mistake(
        "gradients-with-inf-left-out",
        find=FOUND,
        replace="param.grad is not None and bool(param.grad.isfinite().all())]",
        says="You leave out gradients with inf or NaN in them, so the norm is finite and nobody notices. It "
        "is not finite where one of them is not.",
    ),
    Mistake(
        "only-the-long-ones-scaled",
        find=LOOP,
        replace=LOOP.replace(
            "        grad",
            "        if torch.linalg.vector_norm(grad, norm_type) > max_norm:\n            grad",
        ),
        says="The factor is right, but you scale only those gradients that are longer than max_norm by "
        "themselves. It goes to all of them: otherwise the direction of the step changes.",
    ),
    Mistake(
        "norm-of-matrices",
        find="torch.linalg.vector_norm(grad, norm_type)",
        replace="torch.linalg.norm(grad, norm_type)",
        says="torch.linalg.norm takes the norm of a matrix for two dimensions, and no tensor of more. A "
        "gradient counts as one vector, whatever its shape: torch.linalg.vector_norm.",
    ),
    Mistake(
        "mean-of-the-norms",
        find=NORM,
        replace="norm = norms.mean()",
        says="You take the mean of the gradients' norms. Wanted is the norm of all of them as one vector, "
        "which is the norm of their norms.",
    ),
    Mistake(
        "divided-by-the-number-of-entries",
        find=NORM,
        replace=f"{NORM} / sum(grad.numel() for grad in grads) ** (1 / norm_type)",
        says="You take the mean over all entries under the root. A norm is a sum: it is not divided by how "
        "many there are.",
    ),
    Mistake(
        "running-maximum-that-misses-nan",
        find=NORM,
        replace="is_largest = norm_type == math.inf\n    norm = torch.linalg.vector_norm("
        "norms.nan_to_num(0.0, math.inf) if is_largest else norms, norm_type)",
        also=(("import torch\n", "import math\n\nimport torch\n"),),
        says="For norm_type=inf you keep the largest value so far by comparing (if new > largest, or "
        "Python's max(), for example). Every comparison with NaN is false, so a NaN gets lost: take "
        "torch.maximum, or torch's maximum of a stack, which carry it on.",
    ),
    *(
        Mistake(
            f"{name}-without-abs",
            find=NORM,
            replace=f"{NORM}\n    if norm_type == {power}:\n"
            f"        flat = torch.cat([grad.reshape(-1) for grad in grads])\n"
            f"        norm = flat.pow({power}).sum() ** (1 / {power})",
            says=f"For norm_type={power} you sum up {what} without the absolute value, so negative entries "
            f"count against positive ones{more}. Sum up {right}.",
        )
        for name, power, what, more, right in (
            ("values", 1, "the entries", "", "|g|"),
            ("cubes", 3, "the cubes", ", and the root of a negative sum is NaN", "|g|**3"),
        )
    ),
    Mistake(
        "norm-of-at-least-the-maximum",
        find=GIVEN,
        replace="    return norm.clamp(min=max_norm)\n",
        says="The norm that you give is max_norm at least: you clamp it (in place for the factor's "
        "denominator, for example). Give that of short gradients as it is.",
    ),
    Mistake(
        "zero-for-short-gradients",
        find=FACTOR,
        replace=f"if norm <= max_norm:\n        return torch.zeros_like(norm)\n    {FACTOR}",
        says="Where nothing has to be clipped you give 0. Give the norm in any case.",
    ),
    Mistake(
        "norm-of-one-dimension",
        find=GIVEN,
        replace="    return norm.reshape(1)\n",
        says="Your norm has the shape (1,). It is 0-dimensional, ().",
    ),
    Mistake(
        "norm-in-the-default-dtype-on-its-device",
        find=GIVEN,
        replace="    return torch.tensor(norm.item(), device=norm.device)\n",
        says="Your norm is made of a Python number, in the default dtype: float32 for gradients in float64. "
        "It has the dtype of the gradients.",
    ),
    Mistake(
        "number-without-gradients",
        find="        return torch.zeros(())\n",
        replace="        return 0.0\n",
        says="Without gradients you return a plain number. The norm is a 0-dimensional tensor then, too.",
    ),
    *(
        Mistake(
            f"root-of-the-sum-of-norms{ending}",
            find=NORM,
            replace=f"norm = {norm}",
            also=(("import torch\n", "import math\n\nimport torch\n"),),
            says="You add up the norms of the gradients as they are, and take the root of that sum. Each of "
            "them goes to the power norm_type first: the root undoes a power. That sum of powers, to the "
            f"power 1 / norm_type, is the norm of all gradients as one vector.{more}",
        )
        for ending, norm, more in (
            (
                "",
                "norms.max() if norm_type == math.inf else norms.sum() ** (1 / norm_type)",
                "",
            ),
            (
                "-for-infinity-too",
                "norms.sum() ** (1 / norm_type)",
                " For norm_type=inf it is the largest absolute value.",
            ),
        )
    ),
    *(
        Mistake(
            f"{added}-beside-the-norm",
            find=FACTOR,
            replace=FACTOR.replace("1e-6", added),
            says=f"You add {added} to the norm before you divide by it, which makes those of a small norm "
            "too short. Add 1e-6, or nothing.",
        )
        for added in ("1e-5", "1e-4", "1e-3")
    ),
    *(
        Mistake(
            f"{name}-without-abs-not-clipped",
            find=NORM,
            replace=f"{NORM}\n    {ALL}\n    if {where}:\n"
            "        norm = flat.pow(norm_type).sum() ** (1 / norm_type)",
            also=(MATH, (FACTOR, COMPARED)),
            says="You raise the entries to the power norm_type without taking their absolute value. For "
            "norm_type=3 negative ones then count against positive ones, and the root of a negative sum is "
            "NaN: no comparison with it is true, so that nothing is clipped. Sum up |g|**p.",
        )
        for name, where in (("powers", "norm_type != math.inf"), ("cubes", "norm_type == 3"))
    ),
    *(
        Mistake(
            f"absolute-values-written-back{ending}",
            find="torch.linalg.vector_norm(grad, norm_type) for",
            replace=f"torch.linalg.vector_norm({grad}, norm_type) for",
            also=(MATH,),
            says=f"{when}the gradients lose their signs: you take absolute values in place (abs_() or out=, "
            "for example), and a detached gradient shares its memory with .grad. Make new tensors: abs().",
        )
        for ending, grad, when in (
            ("", "grad.abs_()", "All of "),
            ("-for-infinity", "grad.abs_() if norm_type == math.inf else grad", "For norm_type=inf "),
        )
    ),
    Mistake(
        "norm-asked-for-in-float32",
        find="torch.linalg.vector_norm(grad, norm_type)",
        replace="torch.linalg.vector_norm(grad, norm_type, dtype=torch.float32)",
        says="You ask for the norm in float32 (dtype=torch.float32), which raises for float64 gradients: a "
        "norm goes over to a wider dtype only. Leave the dtype as it is: that of the gradients.",
    ),
]
