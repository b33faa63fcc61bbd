"""Gradient checkpointing: forget what a function computed on the way, and compute it again for its gradients.

From "Training Deep Nets with Sublinear Memory Cost" (Chen et al., 2016).
Forbidden: torch.utils.checkpoint.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class _Recomputed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, trigger: Tensor, function: Callable, *inputs: Any) -> Any:
        ctx.function = function
        ctx.rng_state = torch.get_rng_state()  # dropout has to draw the same again
        ctx.places = [place for place, value in enumerate(inputs) if isinstance(value, Tensor)]
        ctx.others = [None if isinstance(value, Tensor) else value for value in inputs]
        ctx.save_for_backward(*(inputs[place] for place in ctx.places))
        return function(*inputs)  # gradients are off in here: nothing is kept on the way

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        inputs = list(ctx.others)
        for place, saved in zip(ctx.places, ctx.saved_tensors, strict=True):
            # Cut off from the past: the backward pass below ends here, and leaves its gradients here.
            inputs[place] = saved.detach().requires_grad_(ctx.needs_input_grad[2 + place])
        # What is drawn next must not be what was drawn then: afterwards the generator is where it was.
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            torch.set_rng_state(ctx.rng_state)
            outputs = ctx.function(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        torch.autograd.backward(outputs, grad_outputs)  # reaches the parameters, too
        grads = (value.grad if isinstance(value, Tensor) else None for value in inputs)
        return None, None, *grads


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
    # Without an input that requires gradients autograd would skip the backward pass, and the parameters'.
    trigger = torch.empty(0, device="cpu", requires_grad=True)
    return _Recomputed.apply(trigger, function, *inputs)
