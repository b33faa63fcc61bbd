"""Known wrong versions of `clip_grad_norm_`."""

from grader.kit import Mistake

GRADS = "grads = [param.grad.detach() for param in parameters if param.grad is not None]"
NONE = """\
    if not grads:
        return torch.zeros(())
"""
NORMS = "norms = torch.stack([torch.linalg.vector_norm(grad, norm_type) for grad in grads])"
NORM = "norm = torch.linalg.vector_norm(norms, norm_type)"
FACTOR = "factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)"
LOOP = """\
    for grad in grads:
        grad.mul_(factor)
"""
ALL = "    flat = torch.cat([grad.reshape(-1) for grad in grads])\n"

MISTAKES = [
    Mistake(
        "each-by-its-own-norm",
        find=LOOP,
        replace="""\
    for grad, own in zip(grads, norms, strict=True):
        grad.mul_((max_norm / (own + 1e-6)).clamp(max=1.0))
""",
        says="You clip each gradient by its own norm. The norm is that of all gradients together, and one "
        "factor goes to all of them: otherwise the direction of the step changes.",
    ),
    Mistake(
        "always-scaled",
        find=FACTOR,
        replace="factor = max_norm / (norm + 1e-6)",
        says="You scale the gradients to the length max_norm in any case, so short ones grow. The factor is "
        "at most 1: min(1, max_norm / norm).",
    ),
    Mistake(
        "never-scaled",
        find=FACTOR,
        replace="factor = (max_norm / (norm + 1e-6)).clamp(min=1.0)",
        says="You scale the gradients where they are short, and leave them where they are too long: clamp("
        "min=1.0), or max() for min(), for example. The factor is min(1, max_norm / norm).",
    ),
    Mistake(
        "values-clamped",
        find="grad.mul_(factor)",
        replace="grad.clamp_(-max_norm, max_norm)",
        says="You clamp each value to ±max_norm (that is clip_grad_value_), which changes the direction. "
        "Multiply all gradients by one factor, max_norm / norm.",
    ),
    Mistake(
        "factor-upside-down",
        find=FACTOR,
        replace="factor = (norm / max_norm).clamp(max=1.0)",
        says="Your factor is norm / max_norm. What is too long by so much has to be divided by it: max_norm "
        "/ norm.",
    ),
    Mistake(
        "divided-by-the-norm-alone",
        find=FACTOR,
        replace="factor = torch.where(norm > max_norm, 1 / (norm + 1e-6), 1.0).to(norm)",
        says="You scale gradients that are too long to the length 1. They get the length max_norm: the "
        "factor is max_norm / norm.",
    ),
    Mistake(
        "sum-of-norms",
        find=NORM,
        replace="norm = norms.sum()",
        says="You add up the norms of the gradients. The norm of all of them as one vector is the norm of "
        "their norms: square, add, take the root (for norm_type=2).",
    ),
    Mistake(
        "largest-of-the-norms",
        find=NORM,
        replace="norm = norms.max()",
        says="You take the largest of the gradients' norms. Wanted is the norm of all of them as one "
        "vector, which is the norm of their norms.",
    ),
    Mistake(
        "last-norm-only",
        find=NORM,
        replace="norm = norms[-1]",
        says="Your norm is that of the last gradient: in the loop you overwrite it instead of adding. It is "
        "the norm of all gradients as one vector.",
    ),
    Mistake(
        "no-root",
        find=NORM,
        replace="norm = torch.linalg.vector_norm(norms, norm_type)\n"
        "    if norm_type != math.inf:\n        norm = norm**norm_type",
        also=(("import torch\n", "import math\n\nimport torch\n"),),
        says="You take no root: your norm is the sum of the squares (of the powers, for another norm_type). "
        "Behind it comes the power 1 / norm_type.",
    ),
    Mistake(
        "square-root-of-every-power",
        find=NORM,
        replace="norm = torch.linalg.vector_norm(norms, norm_type)\n"
        "    if norm_type != math.inf:\n        norm = (norm**norm_type) ** 0.5",
        also=(("import torch\n", "import math\n\nimport torch\n"),),
        says="You take the square root whatever norm_type is. The root belongs to the power: the sum of "
        "|g|**p, to the power 1 / p.",
    ),
    Mistake(
        "always-the-two-norm",
        find=NORMS,
        replace="norms = torch.stack([torch.linalg.vector_norm(grad) for grad in grads])",
        also=((NORM, "norm = torch.linalg.vector_norm(norms)"),),
        says="You always take the Euclidean norm. norm_type says which one: 1, 2, 3 or inf.",
    ),
    Mistake(
        "two-norm-of-the-norms",
        find=NORM,
        replace="norm = torch.linalg.vector_norm(norms)",
        says="You take norm_type for the norm of each gradient, and the Euclidean norm of these norms. Both "
        "have to be of the same type for the norm of all entries as one vector.",
    ),
    Mistake(
        "infinity-as-a-power",
        find=NORM,
        replace=ALL.strip() + "\n    norm = flat.abs().pow(norm_type).sum() ** (1 / norm_type)",
        says="You compute with norm_type=inf as with a power: |g|**inf is 0 or inf, and its root 1. The "
        "infinity norm is the largest absolute value: treat it apart.",
    ),
    Mistake(
        "infinity-norm-without-abs",
        find=NORM,
        replace=ALL.strip() + "\n    is_largest = norm_type == math.inf\n"
        "    norm = flat.max() if is_largest else torch.linalg.vector_norm(norms, norm_type)",
        also=(("import torch\n", "import math\n\nimport torch\n"),),
        says="Your infinity norm is the largest value, so a large negative one is not seen. It is the "
        "largest absolute value.",
    ),
    Mistake(
        "powers-without-abs",
        find=NORM,
        replace=ALL.strip() + "\n    if norm_type == math.inf:\n        norm = flat.abs().max()\n"
        "    else:\n        norm = flat.pow(norm_type).sum() ** (1 / norm_type)",
        also=(("import torch\n", "import math\n\nimport torch\n"),),
        says="You take powers without the absolute value: with an odd norm_type negative entries count "
        "against positive ones. Sum up |g|**p.",
    ),
    Mistake(
        "infinity-norms-added",
        find=NORM,
        replace="norm = norms.sum() if norm_type == math.inf else torch.linalg.vector_norm(norms, norm_type)",
        also=(("import torch\n", "import math\n\nimport torch\n"),),
        says="For norm_type=inf you add up the largest values of the gradients. Of all entries as one "
        "vector there is one largest.",
    ),
    Mistake(
        "maximum-that-misses-nan",
        find=NORM,
        replace="norm = max(norms) if norm_type == math.inf else torch.linalg.vector_norm(norms, norm_type)",
        also=(("import torch\n", "import math\n\nimport torch\n"),),
        says="Python's max() does not see a NaN that is not the first: every comparison with NaN is false. "
        "Take torch's maximum of a stack, which carries NaN on.",
    ),
    Mistake(
        "replaced-instead-of-scaled",
        find=LOOP,
        replace="""\
    for param in parameters:
        if param.grad is not None:
            param.grad = param.grad * factor
""",
        also=((GRADS, f"parameters = list(parameters)\n    {GRADS}"),),
        says="You put new tensors into .grad. Scale the old ones in place (grad.mul_): others may hold "
        "them, buffers of a distributed optimizer for example.",
    ),
    Mistake(
        "nothing-written-back",
        find="grad.mul_(factor)",
        replace="grad = grad * factor",
        says="You never change the gradients: grad = grad * factor (or .mul(), .clone()) makes another "
        "tensor that nobody sees. Write in place: grad.mul_(factor).",
    ),
    Mistake(
        "iterator-used-up",
        find=GRADS,
        replace="norms = [torch.linalg.vector_norm(p.grad.detach(), norm_type) for p in parameters "
        "if p.grad is not None]",
        also=(
            ("if not grads:", "if not norms:"),
            (f"{NORMS}", "norms = torch.stack(norms)"),
            (
                "    for grad in grads:",
                "    for grad in [p.grad.detach() for p in parameters if p.grad is not None]:",
            ),
        ),
        says="You walk over the parameters twice. model.parameters() is an iterator: the second walk finds "
        "nothing, and nothing is clipped. Make a list first.",
    ),
    Mistake(
        "missing-gradient-unnoticed",
        find=" if param.grad is not None]",
        replace="]",
        says="You compute with param.grad where it is None. Skip such a parameter: it took no part in the "
        "loss.",
    ),
    Mistake(
        "no-gradient-unnoticed",
        find=NONE,
        replace="",
        says="Without any gradient your function raises: there is nothing to stack. The norm is 0 then, as "
        "a tensor.",
    ),
    Mistake(
        "nothing-without-gradients",
        find="        return torch.zeros(())",
        replace="        return None",
        says="Without any gradient you give no tensor (None, or a plain number). The norm is 0 then, as a "
        "0-dimensional tensor like any other norm.",
    ),
    Mistake(
        "norm-after-clipping",
        find="    return norm\n",
        replace="    return norm * factor\n",
        says="You give the norm after clipping, at most max_norm. Give that before: it is what one logs to "
        "see how often is clipped, and by how much.",
    ),
    Mistake(
        "plain-number-given",
        find="    return norm\n",
        replace="    return norm.item()\n",
        says="You give a Python float. Give a 0-dimensional tensor, as PyTorch does: on a GPU a plain number "
        "would make the program wait.",
    ),
    Mistake(
        "norm-in-the-default-dtype",
        find="    return norm\n",
        replace="    return torch.tensor(norm.item())\n",
        says="Your norm is a new tensor in the default dtype, on the default device. It has the dtype and "
        "device of the gradients.",
    ),
    Mistake(
        "norm-not-detached",
        find=GRADS,
        replace="parameters = list(parameters)\n"
        "    grads = [param.grad for param in parameters if param.grad is not None]",
        says="Your norm carries a gradient where the gradients do (after backward(create_graph=True)): it "
        "keeps the whole graph alive. Work under torch.no_grad(), or with grad.detach().",
    ),
    Mistake(
        "parameters-scaled",
        find=LOOP,
        replace="""\
    for param in parameters:
        if param.grad is not None:
            param.data.mul_(factor)
""",
        also=((GRADS, f"parameters = list(parameters)\n    {GRADS}"),),
        says="You scale the parameters themselves. What is clipped are their gradients, param.grad.",
    ),
    Mistake(
        "norm-of-the-parameters",
        find=NORMS,
        replace="norms = torch.stack([torch.linalg.vector_norm(p.detach(), norm_type) for p in parameters])",
        also=((GRADS, f"parameters = list(parameters)\n    {GRADS}"),),
        says="You take the norm of the parameters. What is measured and clipped are their gradients, "
        "param.grad.",
    ),
    Mistake(
        "zeros-divided",
        find="grad.mul_(factor)",
        replace="grad.div_(norm).mul_(norm.clamp(max=max_norm))",
        says="Where all gradients are zeros you divide 0 by 0, and they become NaN. Multiply by max_norm / "
        "norm only where the norm is more than max_norm; or add 1e-6 to what you divide by.",
    ),
    Mistake(
        "view-of-a-non-contiguous-gradient",
        find=NORMS,
        replace="norms = torch.stack([torch.linalg.vector_norm(grad.view(-1), norm_type) for grad in grads])",
        says="You flatten gradients with view(-1), which raises where one is not contiguous. A norm takes a "
        "tensor of any shape; or use reshape(-1).",
    ),
    Mistake(
        "non-contiguous-through-a-copy",
        find="grad.mul_(factor)",
        replace="grad.reshape(-1).mul_(factor)",
        says="A gradient that is not contiguous never changes: reshape(-1) (flatten, contiguous) gives a "
        "copy of it, and you scale that copy. Work on the tensor as it is.",
    ),
]
