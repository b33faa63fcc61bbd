"""Small answers to ask, and what an assertion says of them."""

import pytest

from grader.kit.outcomes import CheckFailed

TEXT = """
import torch
from torch import nn

def double(x): return 2 * x
def detached(x): return 2 * x.detach()
class Squaring(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): Squaring.x = x; print("once"); return x * x
    @staticmethod
    def backward(ctx, upstream): return 2 * Squaring.x * upstream
def kept_on_the_class(x): return Squaring.apply(x)
class Cubing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if x.requires_grad: Cubing.x = x
        return x ** 3
    @staticmethod
    def backward(ctx, upstream): return 3 * Cubing.x ** 2 * upstream
def kept_by_the_last_call(x): return Cubing.apply(x)
class Halving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x / 2
    @staticmethod
    def backward(ctx, upstream): return upstream.div_(2)
def writes_to_its_gradient(x): return Halving.apply(x)
def learns_in_float64(x): return 2 * x if x.dtype is torch.float64 else 2 * x.detach()
def pair(x, y): return x * y, x + y
def in_place(x, mask): mask.logical_not_(); return x
def in_place_without_gradients(x):
    if torch.is_grad_enabled(): return 2 * x
    return x.mul_(2)
def by_autograd(x):
    leaf = x.detach().requires_grad_()
    return torch.autograd.grad((leaf * leaf).sum(), leaf)[0]
def only_beside_another(x, y): return x * y if x.requires_grad else (x * y).detach()
def only_beside_the_last(x, y): return x * y if y.requires_grad else (x * y).detach()
def switches_gradients(x): torch.set_grad_enabled(not torch.is_grad_enabled()); return 2 * x
def seeds(x): torch.manual_seed(0); return 2 * x
def seeds_for_itself(x):
    with torch.random.fork_rng([]), torch.no_grad(): torch.manual_seed(0); torch.rand(1)
    return 2 * x
KEPT = {}
def kept(x):
    return torch.mul(x, 2, out=KEPT.setdefault(x.shape, torch.empty_like(x)))
def refuses(n): raise ValueError(f"{n} is odd")
def asserts(n): assert n % 2 == 0
def breaks(n): raise KeyError(n)
def accepts(n): return n
def unwritten(n): raise NotImplementedError
def calls(function, n): return [function(i) for i in range(n)]

def draw(logits, limit, temperature=1.0, generator=None):
    return torch.multinomial(logits.softmax(-1), 1, generator=generator).squeeze(-1)
def draw_without_generator(logits, limit, temperature=1.0, generator=None):
    return draw(logits, limit)
def draw_the_same(logits, limit, temperature=1.0, generator=None):
    return draw(logits, limit, generator=torch.Generator().manual_seed(3))

class Scale(nn.Module):
    def __init__(self, size, p=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.register_buffer("seen", torch.zeros(()))
        self.p = p

    def forward(self, x):
        return nn.functional.dropout(x * self.weight, self.p, self.training)

class OnlyOfTrained(Scale):
    def forward(self, x):
        weight = self.weight if x.requires_grad else self.weight.detach()
        return x * weight

class OnlyInTraining(Scale):
    def forward(self, x):
        with torch.set_grad_enabled(self.training): return super().forward(x)

class OnlyWhereItLearns(Scale):
    def forward(self, x):
        with torch.set_grad_enabled(self.weight.requires_grad): return super().forward(x)

class KeepsWithoutGradients(Scale):
    def forward(self, x):
        if torch.is_grad_enabled(): return x * self.weight
        if not hasattr(self, "kept"): self.kept = self.weight.clone()
        return x * self.kept

class KeepsWhatItWasGiven(Scale):
    def forward(self, x):
        if getattr(self, "given", None) is not x: self.given, self.kept = x, x.detach().clone()
        return self.kept * self.weight

class KeepsByVersion(Scale):
    def forward(self, x):
        key = self.weight._version, x._version, id(x)
        if getattr(self, "key", None) != key: self.key, self.kept = key, (x, x * self.weight)
        return self.kept[1]

class Rows:
    def __init__(self): self.rows = torch.zeros(3)
    def add(self, x): self.rows += x; return self.rows

class Box:
    def __init__(self): self.values = __import__("numpy").zeros(3); self.alias = self.values
"""


def failure(check, *args, **kwargs) -> str:
    with pytest.raises(CheckFailed) as caught:
        check(*args, **kwargs)
    return str(caught.value)


INF = float("inf")
