"""Gradient checkpointing: forget what a function computed on the way, and compute it again for its gradients.

From "Training Deep Nets with Sublinear Memory Cost" (Chen et al., 2016).
Forbidden: torch.utils.checkpoint.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor


def checkpoint(function: Callable[..., Any], *inputs: Any) -> Tensor | tuple[Tensor, ...]:
    """What function(*inputs) gives, with the same gradients, keeping nothing but the inputs in between.

    function: called once here and once more when backward comes, with the same values (what saves nothing
        on the way need not be called again). It gives a floating-point tensor or a tuple of them, of which
        not all need be used. Tensors that require gradients reach it as inputs or are leaves that it knows by
        itself (the parameters of a module, say).
    inputs: tensors of any dtype (complex too), with and without gradients, and anything else, which is
        handed on as it is (numbers, texts, None). They are not modified: neither values nor whether they
        require gradients.

    Gradients, taken with .backward() once, are those of calling function directly: of the inputs, whatever
    they were computed from, and of the leaves inside, also where no input requires gradients. Where that
    gives None, zeros will do for what requires gradients. Outputs that nothing trained goes into are not
    asked for, and all derivatives of function are finite.

    What function saves for its backward pass is not kept: torch.autograd.graph.saved_tensors_hooks around the
    call see no more floating-point numbers than the inputs have (copies of them will do). Between forward and
    backward no more is held than the inputs, the outputs, and what random numbers take.

    Random numbers that function draws from torch's global generator on the CPU (dropout) are the same in both
    runs. The second run does not disturb it: what is drawn afterwards is what would be drawn without it.

    Under torch.no_grad() the value is the same, without gradients, and function is called once.
    """
    raise NotImplementedError
