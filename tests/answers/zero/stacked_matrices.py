"""All ranks at once: the rows of matrices, which the dicts in `ranks` show; one class for each stage."""

import torch
import torch.nn.functional as F


class _Stage0:
    def __init__(self, parameters, world_size, collectives):
        self.world, self.numel, self.net = world_size, parameters.numel(), collectives
        self.size = (self.numel - 1) // world_size + 1
        self.start(self.rows(parameters))

    def rows(self, vector):
        """A vector as (world, size), a chunk for each rank."""
        return F.pad(vector, (0, self.world * self.size - self.numel)).view(self.world, self.size)

    def start(self, rows):
        self.parameters = rows.reshape(1, -1).repeat(self.world, 1)
        self.gradients = self.exp_avg = self.exp_avg_sq = torch.zeros_like(self.parameters)

    def reduce(self, vectors):
        self.gradients = torch.stack(self.net.all_reduce(vectors))
        return self.parameters, self.gradients

    def spread(self, updated):
        self.parameters = updated

    def whole(self):
        return list(self.parameters)


class _Stage1(_Stage0):
    def start(self, rows):
        super().start(rows)
        self.exp_avg = self.exp_avg_sq = torch.zeros_like(rows)

    def diagonal(self, full):
        """Chunk i of row i."""
        return torch.stack([row.view(self.world, self.size)[i] for i, row in enumerate(full)])

    def reduce(self, vectors):
        self.gradients = torch.stack(vectors)
        return self.diagonal(self.parameters), torch.stack(self.net.reduce_scatter(vectors))

    def spread(self, updated):
        self.parameters = torch.stack(self.net.all_gather(list(updated)))


class _Stage2(_Stage1):
    def start(self, rows):
        super().start(rows)
        self.gradients = torch.zeros_like(rows)

    def reduce(self, vectors):
        self.gradients = torch.stack(self.net.reduce_scatter(vectors))
        return self.diagonal(self.parameters), self.gradients


class _Stage3(_Stage2):
    def start(self, rows):
        super().start(rows)
        self.parameters = rows

    def reduce(self, vectors):
        self.gradients = torch.stack(self.net.reduce_scatter(vectors))
        return self.parameters, self.gradients

    def spread(self, updated):
        self.parameters = updated

    def whole(self):
        return self.net.all_gather(list(self.parameters))


class ZeroAdam:
    def __init__(self, parameters, world_size, stage, collectives, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        kinds = {0: _Stage0, 1: _Stage1, 2: _Stage2, 3: _Stage3}
        if stage not in kinds:
            raise ValueError(f"stage {stage}")
        self.state = kinds[stage](parameters, world_size, collectives)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.powers = [1.0, 1.0]

    @property
    def ranks(self):
        names = ("parameters", "gradients", "exp_avg", "exp_avg_sq")
        return [{name: getattr(self.state, name)[i] for name in names} for i in range(self.state.world)]

    def full_parameters(self):
        return [row[: self.state.numel] for row in self.state.whole()]

    def step(self, gradients):
        state = self.state
        parameters, average = state.reduce([state.rows(g).flatten() / state.world for g in gradients])
        self.powers = [power * beta for power, beta in zip(self.powers, self.betas, strict=True)]
        state.exp_avg = self.betas[0] * state.exp_avg + (1 - self.betas[0]) * average
        state.exp_avg_sq = self.betas[1] * state.exp_avg_sq + (1 - self.betas[1]) * average**2
        denominator = (state.exp_avg_sq / (1 - self.powers[1])) ** 0.5 + self.eps
        state.spread(parameters - self.lr * state.exp_avg / (1 - self.powers[0]) / denominator)
