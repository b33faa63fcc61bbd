"""Every rank is a coroutine for the length of a step: it yields (what to say, its tensor), and a driver
sends the answers; stage 1 all-reduces.
"""

import contextlib

import torch


class ZeroAdam:
    def __init__(self, parameters, world_size, stage, collectives, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        if not (stage == 0 or stage == 1 or stage == 2 or stage == 3):
            raise ValueError("no such stage")
        self.count, self.world, self.stage, self.talk = parameters.numel(), world_size, stage, collectives
        self.size = (self.count + world_size - 1) // world_size
        self.hyper, self.done = (lr, betas[0], betas[1], eps), 0
        with torch.no_grad():
            whole = self.long(parameters)
            self.ranks = [
                {
                    "parameters": (whole[self.own(i)] if stage == 3 else whole).clone(),
                    "gradients": parameters.new_zeros(self.size if stage > 1 else whole.numel()),
                    "exp_avg": parameters.new_zeros(self.size if stage > 0 else whole.numel()),
                    "exp_avg_sq": parameters.new_zeros(self.size if stage > 0 else whole.numel()),
                }
                for i in range(world_size)
            ]

    def own(self, i):
        return slice(i * self.size, (i + 1) * self.size)

    def long(self, vector):
        out = torch.empty(self.size * self.world, dtype=vector.dtype, device=vector.device)
        out[: self.count].copy_(vector)
        out[self.count :].fill_(0.0)
        return out

    def rank(self, i, gradient):
        """Yields (collective, tensor), is sent what comes of it."""
        lr, b1, b2, eps = self.hyper
        held = self.ranks[i]
        if self.stage < 2:
            total = yield "all_reduce", self.long(gradient)
            held["gradients"].copy_(total).div_(self.world)
            g = held["gradients"] if self.stage == 0 else held["gradients"][self.own(i)]
        else:
            total = yield "reduce_scatter", self.long(gradient)
            g = held["gradients"].copy_(total).div_(self.world)
        p = held["parameters"][self.own(i)] if self.stage in (1, 2) else held["parameters"]
        m = held["exp_avg"].mul_(b1).add_(g * (1 - b1))
        v = held["exp_avg_sq"].mul_(b2).add_(g.square() * (1 - b2))
        root = torch.sqrt(v / (1 - b2**self.done))
        p.sub_(m / (1 - b1**self.done) / (root + eps), alpha=lr)
        if self.stage in (1, 2):
            held["parameters"].copy_((yield "all_gather", p))

    def full_parameters(self):
        held = [rank["parameters"] for rank in self.ranks]
        return [p[: self.count] for p in (self.talk.all_gather(held) if self.stage == 3 else held)]

    @torch.no_grad()
    def step(self, gradients):
        self.done += 1
        routines = [self.rank(i, g) for i, g in enumerate(gradients)]
        answers = [None] * self.world
        while True:
            said = []
            for routine, answer in zip(routines, answers):
                with contextlib.suppress(StopIteration):
                    said.append(routine.send(answer))
            if not said:
                return
            answers = getattr(self.talk, said[0][0])([tensor for _, tensor in said])
