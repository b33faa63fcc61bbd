"""An object for each rank with its own step; generators instead of lists; prints and seeds at import."""

import math
import warnings

import torch

torch.manual_seed(1)
warnings.warn("ranks are simulated", stacklevel=1)
print("zero loaded")

NAMES = ("parameters", "gradients", "exp_avg", "exp_avg_sq")
SHARDED_FROM = dict(zip(NAMES, (3, 2, 1, 1), strict=True))


class Rank(dict):
    """What a rank holds, and where its own chunk lies."""

    def __init__(self, index, start, stop, stage, vector):
        super().__init__()
        self.index, self.own, self.stage = index, slice(start, stop), stage
        for name in NAMES:
            value = vector if name == "parameters" else torch.zeros_like(vector)
            self[name] = value[self.own].clone() if stage >= SHARDED_FROM[name] else value.clone()

    def cut(self, name):
        """The part of a tensor that this rank updates."""
        whole_there = self.stage < SHARDED_FROM[name]
        return self[name][self.own] if whole_there and self.stage > 0 else self[name]

    def update(self, count, lr, beta1, beta2, eps):
        gradient = self.cut("gradients")
        self["exp_avg"] = torch.lerp(gradient, self["exp_avg"], beta1)
        self["exp_avg_sq"] = torch.lerp(gradient * gradient, self["exp_avg_sq"], beta2)
        mean = self["exp_avg"] / (1 - math.pow(beta1, count))
        square = self["exp_avg_sq"] / (1 - math.pow(beta2, count))
        return self.cut("parameters") - lr * mean / (torch.sqrt(square) + eps)


class ZeroAdam:
    def __init__(self, parameters, world_size, stage, collectives, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        if stage < 0 or stage > 3:
            raise ValueError("the stages are 0, 1, 2, 3")
        size = (parameters.numel() + world_size - 1) // world_size
        self.missing = size * world_size - parameters.numel()
        vector = torch.cat([parameters, parameters.new_zeros(self.missing)])
        self.ranks = [Rank(i, i * size, (i + 1) * size, stage, vector) for i in range(world_size)]
        self.collectives, self.stage = collectives, stage
        self.options = (lr, *betas, eps)
        self.count = 0

    def _together(self, tensors):
        return self.collectives.all_gather(list(tensors))

    def full_parameters(self):
        whole = [rank["parameters"] for rank in self.ranks]
        whole = self._together(whole) if self.stage == 3 else whole
        return [vector[: vector.numel() - self.missing] for vector in whole]

    def step(self, gradients):
        self.count += 1
        scaled = [torch.cat([g, g.new_zeros(self.missing)]) / len(self.ranks) for g in gradients]
        if self.stage == 0:  # a ring all-reduce is these two
            averages = self._together(self.collectives.reduce_scatter(scaled))
        elif self.stage == 1:
            averages = self.collectives.all_reduce(scaled)
        else:
            averages = self.collectives.reduce_scatter(scaled)
        for rank, average in zip(self.ranks, averages, strict=True):
            rank["gradients"] = average
        new = [rank.update(self.count, *self.options) for rank in self.ranks]
        if self.stage in (1, 2):
            new = self._together(new)
        for rank, value in zip(self.ranks, new, strict=True):
            rank["parameters"] = value
        print("step", self.count, "sent so far:", self.collectives.sent)
