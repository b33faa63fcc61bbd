"""Known wrong versions of `layer_norm_backward`: what is used as given, kept, and written to."""

from typing import Any

from grader.kit import Mistake

NORMALIZED = "normalized = (x - mean) * rstd"
RMS_NORMALIZED = "normalized = x * rstd\n"
RMS_GRAD_X = "grad_x = rstd * (grad_scaled - normalized * share_of_x)"
GIVEN = "return grad_x, grad_weight, grad_bias"
RMS_GIVEN = "return grad_x, (grad_output * normalized).reshape(-1, x.shape[-1]).sum(dim=0)"
IMPORTED = "from torch import Tensor\n"
TORCH = ((IMPORTED, f"import torch\n{IMPORTED}"),)
LAYER_SCALED = "    grad_normalized = grad_output * weight\n"
RMS_SCALED = "    grad_scaled = grad_output * weight\n"
SPELLINGS = {"": "", "-by-rows": ".reshape(-1, x.shape[-1])"}
"""What is written to: what is expanded refuses it, and is copied by reshape."""


def _in_place(line: str, rows: str = "") -> str:
    """The upstream gradient is written to, and as it was in all that comes after it."""
    written = line.replace("grad_output * weight", f"grad_output{rows}.mul_(weight)")
    written = written.replace("\n", ".view(x.shape)\n")
    return f"    kept = grad_output.clone()\n{written}    grad_output = kept\n"


def _in_place_with_ones(line: str) -> str:
    """The upstream gradient is written to if the weight is all ones, and as it was in what comes after."""
    return f"""\
    kept = grad_output.clone()
    if bool((weight == 1).all()):
        grad_output.mul_(2)
    grad_output = kept
{line}"""


def _edits(layer: tuple[str, str], rms: tuple[str, str]) -> tuple[tuple[str, str, Any], ...]:
    """The prefix of an id, how it is spoken of, and the edits: of one function, the other, and both."""
    return (
        ("", "layer_norm_backward", (layer,)),
        ("rms-", "rms_norm_backward", (rms,)),
        ("both-", "each of your functions", (layer, rms)),
    )


MISTAKES = [
    *(
        Mistake(
            f"{prefix}upstream-overwritten-with-a-weight-of-ones",
            find=edits[0][0],
            replace=edits[0][1],
            also=edits[1:],
            says=f"Where the weight is all ones, {name} writes to the caller's grad_output: the product with "
            "the weight is left out, for example, and what comes then is done in place, in the argument "
            "itself. Make a new tensor: grad_output * weight.",
        )
        for prefix, name, edits in _edits(
            (LAYER_SCALED, _in_place_with_ones(LAYER_SCALED)), (RMS_SCALED, _in_place_with_ones(RMS_SCALED))
        )
    ),
    *(
        Mistake(
            f"{prefix}argument-viewed",
            find=edits[0][0],
            replace=edits[0][1],
            also=edits[1:],
            says=f"In {name} an argument is flattened by view, mean.view(-1, 1) for example, which raises "
            "for most that are not contiguous. Each of them may be so: use reshape, or flatten nothing, and "
            "let them broadcast.",
        )
        for prefix, name, edits in _edits(
            (NORMALIZED, "normalized = (x - mean.view(-1, 1).view(mean.shape)) * rstd"),
            (RMS_NORMALIZED, "normalized = x * rstd.view(-1, 1).view(rstd.shape)\n"),
        )
    ),
    *(
        Mistake(
            f"{prefix}terms-stacked",
            find=edits[0][0],
            replace=edits[0][1],
            also=(*edits[1:], *TORCH),
            says=f"In {name} there is a tensor with twice the elements of x: two of its size are stacked, "
            "those that are summed up at once, for example. No operation should make one that is larger than "
            "x: do one after the other.",
        )
        for prefix, name, edits in _edits(
            (
                GIVEN,
                """\
both = torch.stack([grad_output * normalized, grad_output]).reshape(2, -1, x.shape[-1])
    return grad_x, *both.sum(dim=1).unbind()""",
            ),
            (
                RMS_GIVEN,
                """\
both = torch.stack([grad_output * normalized, grad_output]).reshape(2, -1, x.shape[-1])
    return grad_x, both.sum(dim=1)[0]""",
            ),
        )
    ),
    Mistake(
        "normalized-with-another-eps",
        find=NORMALIZED,
        replace="normalized = torch.nn.functional.layer_norm(x, x.shape[-1:])",
        also=TORCH,
        says="You normalize x again, with an eps of your own (F.layer_norm has 1e-5). Forward has saved mean "
        "and rstd: (x - mean) * rstd.",
    ),
    Mistake(
        "bias-gradient-in-float64",
        find=GIVEN,
        replace="return grad_x, grad_weight, grad_bias.double()",
        says="grad_bias comes back in float64 for float32 arguments. All results keep their dtype.",
    ),
    Mistake(
        "weight-gradient-in-float64",
        find=GIVEN,
        replace="return grad_x, grad_weight.double(), grad_bias",
        says="grad_weight comes back in float64 for float32 arguments. All results keep their dtype.",
    ),
    Mistake(
        "rms-jacobian-of-each-vector",
        find=RMS_GRAD_X,
        replace="eye = torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)\n"
        "    outer = normalized[..., :, None] * normalized[..., None, :] / x.shape[-1]\n"
        "    jacobian = rstd[..., None] * (eye - outer)\n"
        "    grad_x = (grad_scaled[..., None, :] @ jacobian)[..., 0, :] + 0 * share_of_x",
        also=TORCH,
        says="rms_norm_backward builds the Jacobian of each vector, hidden x hidden. What it does to a "
        "vector is a multiple of it and one of the normalized x: one mean is enough.",
    ),
    Mistake(
        "rms-x-overwritten",
        find=RMS_NORMALIZED,
        replace="normalized = x.contiguous().mul_(rstd)\n",
        says="rms_norm_backward normalizes x in place: contiguous() copies nothing where x is contiguous. "
        "Make a new tensor: x * rstd.",
    ),
    *(
        Mistake(
            f"rms-upstream-overwritten{id}",
            find=RMS_SCALED,
            replace=_in_place(RMS_SCALED, rows),
            says="rms_norm_backward multiplies the caller's grad_output by the weight in place. Make a new "
            "tensor: grad_output * weight.",
        )
        for id, rows in SPELLINGS.items()
    ),
    *(
        Mistake(
            f"upstream-overwritten-in-both{id}",
            find=LAYER_SCALED,
            replace=_in_place(LAYER_SCALED, rows),
            also=((RMS_SCALED, _in_place(RMS_SCALED, rows)),),
            says="Both of your functions multiply the caller's grad_output by the weight in place. Others "
            "may need it (a residual connection does): make a new tensor.",
        )
        for id, rows in SPELLINGS.items()
    ),
    Mistake(
        "upstream-overwritten-by-rows",
        find=LAYER_SCALED,
        replace=_in_place(LAYER_SCALED, SPELLINGS["-by-rows"]),
        says="layer_norm_backward multiplies the rows of the caller's grad_output by the weight in place: "
        "reshape copies nothing where it is contiguous. Make a new tensor: grad_output * weight.",
    ),
    *(
        Mistake(
            f"weight-left-out-of-the-{which}-mean",
            find=mean,
            replace=mean.replace("grad_normalized", "grad_output"),
            says=f"In your {which} mean stands grad_output, without the weight. It is of the gradient of the "
            "normalized x, grad_output * weight, that both means are taken.",
        )
        for which, mean in (
            ("first", "along_ones = grad_normalized.mean"),
            ("second", "along_x = (grad_normalized * normalized).mean"),
        )
    ),
]
