"""Classic reentrant Function with a gate tensor so that leaves inside are reached; unused outputs stay None
(no materialized zeros).
"""

import torch


class _Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, function, gate, *inputs):
        ctx.set_materialize_grads(False)
        ctx.function, ctx.random = function, torch.get_rng_state()
        ctx.plain = [None if isinstance(a, torch.Tensor) else a for a in inputs]
        ctx.places = [i for i, a in enumerate(inputs) if isinstance(a, torch.Tensor)]
        ctx.save_for_backward(*(inputs[i] for i in ctx.places))
        out = function(*inputs)
        return tuple(o.detach() for o in out) if isinstance(out, tuple) else out.detach()

    @staticmethod
    def backward(ctx, *grads):
        args = list(ctx.plain)
        for i, a in zip(ctx.places, ctx.saved_tensors):
            args[i] = a.detach().requires_grad_(ctx.needs_input_grad[i + 2])
        now = torch.get_rng_state()
        try:
            torch.set_rng_state(ctx.random)
            with torch.enable_grad():
                out = ctx.function(*args)
        finally:
            torch.set_rng_state(now)
        out = out if isinstance(out, tuple) else (out,)
        pairs = [(o, g) for o, g in zip(out, grads) if g is not None and o.requires_grad]
        if pairs:
            torch.autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        result = [None] * len(args)
        for i in ctx.places:
            if ctx.needs_input_grad[i + 2]:
                result[i] = args[i].grad
        return (None, None, *result)


def checkpoint(function, *inputs):
    return _Checkpoint.apply(function, torch.empty(0, requires_grad=True), *inputs)
