"""Known wrong versions of `layer_norm_backward`: what is used as given, kept, and written to."""

from grader.kit import Mistake

NORMALIZED = "normalized = (x - mean) * rstd"
RMS_NORMALIZED = "normalized = x * rstd\n"
RMS_GRAD_X = "grad_x = rstd * (grad_scaled - normalized * share_of_x)"
GIVEN = "return grad_x, grad_weight, grad_bias"
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


MISTAKES = [
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
