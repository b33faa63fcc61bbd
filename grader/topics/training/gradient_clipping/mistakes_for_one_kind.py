"""Known wrong versions of `clip_grad_norm_` of one norm_type, or of one kind of gradients."""

from grader.kit import Mistake

GRADS = "grads = [param.grad.detach() for param in parameters if param.grad is not None]"
NORM = "norm = torch.linalg.vector_norm(norms, norm_type)"
MATH = ("import torch\n", "import math\n\nimport torch\n")
ALL = "flat = torch.cat([grad.reshape(-1) for grad in grads])"
LOOP = """\
    for grad in grads:
        grad.mul_(factor)
"""
REPLACED = """\
    for param in parameters:
        if param.grad is not None and param.grad.requires_grad:
            param.grad = param.grad.detach() * factor
        elif param.grad is not None:
            param.grad.mul_(factor)
"""

MISTAKES = [
    *(
        Mistake(
            f"{name}-without-abs-but-their-sum",
            find=NORM,
            replace=f"{NORM}\n    if {where}:\n        {ALL}\n"
            "        norm = flat.pow(norm_type).sum().abs() ** (1 / norm_type)",
            also=(MATH,),
            says="You take the absolute value of the sum of powers, not of the entries. For an odd norm_type "
            "negative entries count against positive ones until then. Sum up |g|**p.",
        )
        for name, where in (("powers", "norm_type != math.inf"), ("cubes", "norm_type == 3"))
    ),
    *(
        Mistake(
            f"{name}-norm-only-for-infinity",
            find=NORM,
            replace=f"{NORM} if norm_type != math.inf else {taken}",
            also=(MATH,),
            says=f"For norm_type=inf your norm is that of the {name} gradient alone: {why}. It is the "
            "largest absolute value of all gradients.",
        )
        for name, taken, why in (
            ("last", "norms[-1]", "in the loop each overwrites that before it, for example"),
            ("first", "norms[0]", "nothing goes over the others, for example"),
        )
    ),
    Mistake(
        "smallest-norm-for-infinity",
        find=NORM,
        replace=f"{NORM} if norm_type != math.inf else norms.min()",
        also=(MATH,),
        says="For norm_type=inf you take the smallest of the gradients' norms. It is the largest absolute "
        "value of all gradients.",
    ),
    Mistake(
        "replaced-where-a-graph-is-carried",
        find=LOOP,
        replace=REPLACED,
        also=((GRADS, f"parameters = list(parameters)\n    {GRADS}"),),
        says="Where a gradient carries a gradient itself (after backward(create_graph=True)), you put a new "
        "tensor into .grad. It is scaled in place there as well: work under torch.no_grad(), or on "
        "grad.detach(), which shares its memory.",
    ),
]
