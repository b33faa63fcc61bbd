"""In-place arithmetic on views; averages after the collective; bias correction as PyTorch writes it."""

import torch


class ZeroAdam:
    def __init__(self, parameters, world_size, stage, collectives, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        assert stage in range(4), f"no such stage: {stage}"
        self.w, self.stage, self.net = world_size, stage, collectives
        self.lr, (self.b1, self.b2), self.eps = lr, betas, eps
        self.n, self.t = parameters.numel(), 0
        self.shard = -(-self.n // world_size)
        whole = self.shard * world_size
        self.ranks = []
        for r in range(world_size):
            held = {
                "parameters": self.pad(parameters)
                if stage < 3
                else self.chunk(self.pad(parameters), r).clone(),
                "gradients": parameters.new_zeros(whole if stage < 2 else self.shard),
                "exp_avg": parameters.new_zeros(whole if stage < 1 else self.shard),
                "exp_avg_sq": parameters.new_zeros(whole if stage < 1 else self.shard),
            }
            self.ranks.append(held)

    def pad(self, vector):
        out = vector.new_zeros(self.shard * self.w)
        out[: self.n] = vector
        return out

    def chunk(self, vector, r):
        return vector if len(vector) == self.shard else vector[r * self.shard :][: self.shard]

    def full_parameters(self):
        held = [rank["parameters"] for rank in self.ranks]
        if self.stage == 3:
            held = self.net.all_gather(held)
        return [vector[: self.n].clone() for vector in held]

    @torch.no_grad()
    def step(self, gradients):
        self.t += 1
        reduce = self.net.all_reduce if self.stage < 2 else self.net.reduce_scatter
        for rank, total in zip(self.ranks, reduce([self.pad(g) for g in gradients]), strict=True):
            rank["gradients"].copy_(total).div_(self.w)
        for r, rank in enumerate(self.ranks):
            g, p, m, v = (rank[k] for k in ("gradients", "parameters", "exp_avg", "exp_avg_sq"))
            if self.stage > 0:
                g, p = self.chunk(g, r), self.chunk(p, r)
            m.lerp_(g, 1 - self.b1)
            v.mul_(self.b2).addcmul_(g, g, value=1 - self.b2)
            correction = (1 - self.b2**self.t) ** 0.5
            p.addcdiv_(m, v.sqrt().div_(correction).add_(self.eps), value=-self.lr / (1 - self.b1**self.t))
        if self.stage in (1, 2):
            updated = [self.chunk(rank["parameters"], r).clone() for r, rank in enumerate(self.ranks)]
            for rank, whole in zip(self.ranks, self.net.all_gather(updated), strict=True):
                rank["parameters"].copy_(whole)
