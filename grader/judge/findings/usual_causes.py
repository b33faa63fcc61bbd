"""What PyTorch's and NumPy's errors usually come from, as sentences for the learner."""

import re

_CAUSES = {
    r"leaf Variable that requires grad is being used in an in-place operation": (
        "It writes in place to an argument, a parameter or a view of one (reshape, chunk and indexing "
        "give views). Make a new tensor."
    ),
    r"modified by an inplace operation": (
        "Backward needs a tensor as it was, and it has been written to in place since. Make a new "
        "tensor there."
    ),
    r"does not require grad and does not have a grad_fn": (
        "The result has lost its graph. Usual causes: no_grad, detach, .data, .item(), or a round "
        "trip through NumPy or integers."
    ),
    r"backward through the graph a second time": (
        "It uses something whose graph is gone. Usual cause: a value of an earlier call that was "
        "kept. Make it in each call, or keep it detached."
    ),
    r"grad can be implicitly created only for scalar": (
        "backward() alone is for a single number. To others hand their gradient: backward(gradient)."
    ),
    r"call numpy\(\) on Tensor that requires grad": (
        "NumPy knows no gradients, and behind detach they are lost. Compute with PyTorch."
    ),
    r"(have|expected) the same (dtype|scalar type)|expected scalar type": (
        "Two dtypes meet. Usual cause: a tensor that is made in the default dtype. Say dtype=x.dtype, "
        "or use x.new_zeros(…) and the like."
    ),
    r"can't be cast to the desired output type": (
        "What is written to in place keeps its dtype. Make a new tensor, or convert it first."
    ),
    r"only supports boolean masks|condition to be a boolean|~ .* only implemented on integer": (
        "A mask of numbers has to be made boolean first: mask != 0."
    ),
    r"must match the (size of tensor|existing size)|could not be broadcast together": (
        "Shapes are matched from the last dimension on, where sizes are equal, or one of them is 1. "
        "Usual causes: a sum or maximum without keepdim=True, a missing transpose or unsqueeze."
    ),
    r"shapes cannot be multiplied|dimensions of batch2 tensor|mismatch in its core dimension": (
        "In a product the last size of the first is the last but one of the second. Usual causes: a "
        "missing transpose, a layer whose sizes are swapped."
    ),
    r"Dimension out of range": (
        "The tensor has fewer dimensions than the line counts on. Usual causes: a sum or maximum "
        "without keepdim=True, dimensions that are counted from the front where some may be missing."
    ),
    r"index \d+ is out of bounds": (
        "Indices go from 0 to the size minus 1. Usual causes: one place too far is counted, there was no "
        "room made for it, or what is to be ignored (-100, padding) is looked up like the rest."
    ),
    r"index -\d+ is out of bounds|index out of range in self": (
        "Usual cause: what is to be ignored (-100, padding) is looked up like the rest. Put a valid "
        "index there first, and leave out what comes of it."
    ),
    r"Boolean value of (a )?Tensor with more than one value|truth value of an array": (
        "`if`, `and` and `or` ask for one truth value, and here are several. Use torch.where, or say "
        ".any() or .all()."
    ),
    r"before Module.__init__\(\) call": "super().__init__() comes first in __init__.",
    r"'NoneType'": (
        "Something is None here. Usual causes: an argument that was left out, a function without return."
    ),
}
"""By what stands in their messages."""


def usual_cause(message: str) -> str | None:
    """What an exception with this message means and usually comes from, None where that is not known."""
    return next((cause for words, cause in _CAUSES.items() if re.search(words, message)), None)
