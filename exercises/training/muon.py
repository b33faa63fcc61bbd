"""Muon: momentum for matrices, whose steps have singular values near 1, without decomposing anything.

From "Muon: An optimizer for hidden layers in neural networks" (Jordan et al., 2024). Forbidden: torch.optim,
and decompositions of matrices (svd, eigh, qr, inv and kin; those of NumPy and SciPy, too; so also
torch.linalg.matrix_norm(x, 2), which makes one).
"""

from collections.abc import Iterable

from jaxtyping import Float
from torch import Tensor


def newton_schulz(
    matrix: Float[Tensor, "rows cols"],
    steps: int = 5,
    coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
    eps: float = 1e-7,
) -> Float[Tensor, "rows cols"]:
    """The matrix with its singular values taken to near 1, by an odd polynomial, several times over.

    X is the matrix divided by its Frobenius norm. Then, `steps` times, with coefficients (a, b, c):

        A = X Xᵀ
        X = a X + (b A + c A²) X

    On every singular value of X this acts as p(s) = a s + b s³ + c s⁵, and on nothing else. The result is
    what comes of exactly so many steps (compared at 1e-5 in float64), not U Vᵀ.

    eps: added to the norm, or the least that it counts (both are right): zeros give zeros. Otherwise the norm
        is from 0.1 to 1e6, and eps at most 1e-7. steps: at least 1. One of the coefficients may be 0.

    All is computed in the matrix's own dtype, float32 or float64. The matrix need not be contiguous; it is
    not modified, and nothing is made on the default device where it is on another one. No gradient is asked.

    Matrix products take at most steps * (4 m² n + 2 m³) + 4 m n FLOPs, with m the smaller and n the larger of
    rows and cols, whichever is which; and nothing of n * n elements fits in, where n is much larger than m.
    """
    raise NotImplementedError


class Muon:
    """The steps of torch.optim.Muon (which computes in bfloat16), for one group of matrices."""

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_steps: int = 5,
    ) -> None:
        """Makes no step and leaves the parameters as they are.

        params: tensors in a list, or in an iterator such as model.parameters() gives: it can be walked only
            once. All are float32 or all float64, non-contiguous ones too. ValueError or AssertionError if one
            of them does not have two dimensions.
        momentum: from 0 on and below 1. The buffers start at zero, in a second optimizer over the same
            tensors too.
        """
        raise NotImplementedError

    def step(self) -> None:
        """Update every parameter W that has a gradient G (`.grad`), with its buffer B and its rows and cols:

            B = momentum * B + G
            U = G + momentum * B with nesterov, else B
            W = W - lr * weight_decay * W - lr * sqrt(max(1, rows / cols)) * newton_schulz(U, ns_steps)

        The decay is taken from the old W. (PyTorch's B = momentum * B + (1 - momentum) * G and then U = (1 -
        momentum) * G + momentum * B is right as well: the scale cancels.)

        A parameter whose gradient is None is skipped: it stays as it is, is not decayed, and its buffer
        stays. A gradient of zeros is a gradient. Gradients stay as they are, and may be written over before
        the next step.

        The caller's own tensors change, in place or through .data. They stay leaves that require gradients;
        step is called with gradients enabled, and autograd does not record the update. Nothing is made on
        the default device where the parameters are on another one.
        """
        raise NotImplementedError

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to None."""
        raise NotImplementedError
