"""No Function at all: outputs get an added zero that hangs on empty slices of the inputs; tensor hooks
collect, replay and replace gradients.
"""

from functools import partial

import torch


class _Run:
    def __init__(self, function, inputs):
        self.function = function
        self.needs = [isinstance(a, torch.Tensor) and a.requires_grad for a in inputs]
        self.kept = [a.detach() if isinstance(a, torch.Tensor) else a for a in inputs]
        self.random = torch.get_rng_state()
        self.arrived, self.grads = {}, None

    def collect(self, number, grad):
        self.arrived[number] = grad

    def replay(self):
        args = [a.detach().requires_grad_() if need else a for a, need in zip(self.kept, self.needs)]
        now = torch.get_rng_state()
        torch.set_rng_state(self.random)
        try:
            with torch.enable_grad():
                out = self.function(*args)
        finally:
            torch.set_rng_state(now)
        out = out if isinstance(out, tuple) else (out,)
        live = [n for n, g in self.arrived.items() if g is not None and out[n].requires_grad]
        if live:
            torch.autograd.backward([out[n] for n in live], [self.arrived[n] for n in live])
        self.grads = [a.grad if need else None for a, need in zip(args, self.needs)]
        self.kept, self.arrived = None, {}

    def give(self, place, grad):
        if self.grads is None:
            self.replay()
        return None if place is None else self.grads[place]


def _nothing(p):
    zero = p.unsqueeze(0)[:0].sum()
    return (zero.real if zero.is_complex() else zero).double()


def checkpoint(function, *inputs):
    if not torch.is_grad_enabled():
        return function(*inputs)
    run = _Run(function, inputs)
    with torch.no_grad():
        out = function(*inputs)
    token = torch.zeros(1, device=(out[0] if isinstance(out, tuple) else out).device, requires_grad=True)
    token.register_hook(partial(run.give, None))
    gate = _nothing(token)
    for place, a in enumerate(inputs):
        if run.needs[place]:
            proxy = a.view_as(a)
            proxy.register_hook(partial(run.give, place))
            gate = gate + _nothing(proxy)
    results = []
    for number, o in enumerate(out if isinstance(out, tuple) else (out,)):
        y = o.detach() + gate.to(o.dtype)
        y.register_hook(partial(run.collect, number))
        results.append(y)
    return tuple(results) if isinstance(out, tuple) else results[0]
