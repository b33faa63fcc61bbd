"""A Function of flat tensors made anew for each call, everything else in a closure; prints."""

import torch

print("checkpointing")


def checkpoint(function, *inputs):
    tensors = [value for value in inputs if torch.is_tensor(value)]
    wanted = [torch.is_tensor(value) and value.requires_grad for value in inputs]
    state = torch.random.default_generator.get_state()

    def filled(new):
        new = iter(new)
        return [next(new) if torch.is_tensor(value) else value for value in inputs_like]

    inputs_like = [torch.empty(0) if torch.is_tensor(value) else value for value in inputs]

    class Again(torch.autograd.Function):
        @staticmethod
        def forward(ctx, dummy, *given):
            ctx.save_for_backward(*given)
            ctx.set_materialize_grads(False)
            with torch.no_grad():
                return function(*filled(given))

        @staticmethod
        def backward(ctx, *upstream):
            copies = []
            needed = [flag for value, flag in zip(inputs_like, wanted, strict=True) if torch.is_tensor(value)]
            for tensor, flag in zip(ctx.saved_tensors, needed, strict=True):
                copy = tensor.detach()
                copy.requires_grad = flag
                copies.append(copy)
            now = torch.random.default_generator.get_state()
            torch.random.default_generator.set_state(state)
            try:
                with torch.set_grad_enabled(True):
                    out = function(*filled(copies))
            finally:
                torch.random.default_generator.set_state(now)
            outs = list(out) if isinstance(out, (tuple, list)) else [out]
            pairs = [(o, g) for o, g in zip(outs, upstream, strict=True) if g is not None]
            torch.autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
            return (None, *[copy.grad for copy in copies])

    del inputs
    return Again.apply(torch.zeros((), requires_grad=True), *tensors)
