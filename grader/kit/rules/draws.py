"""Whether random numbers are what they should be: how they are distributed, and that they are independent.

What a right answer may fail by chance, it fails once in a billion. For diagnosis coarse numbers are noted,
which are the same whatever was drawn.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_equal, assert_numbers, assert_true
from grader.kit.comparison import difference
from grader.kit.counts import BY_CHANCE, SIGMAS, chance
from grader.kit.generators import Rng
from grader.kit.handles import Instance, Submission
from grader.kit.recording import fail, record

_BINS = 16
"""Bins of equal probability."""


@dataclass(frozen=True)
class Distribution:
    """A normal distribution of mean 0 and standard deviation `scale`, or a uniform one between ±`scale`."""

    is_normal: bool
    scale: float

    @property
    def std(self) -> float:
        return self.scale if self.is_normal else self.scale / math.sqrt(3)

    @property
    def kurtosis(self) -> float:
        """The mean of z⁴, where z has the variance 1."""
        return 3.0 if self.is_normal else 1.8

    @property
    def edges(self) -> Tensor:
        """Those of the bins, and of the tails beyond, in units of `scale`."""
        inner = torch.arange(1, _BINS, dtype=torch.float64) / _BINS
        if not self.is_normal:
            return torch.cat([torch.tensor([-1.0]), 2 * inner - 1, torch.tensor([1.0])]).double()
        tails = torch.tensor([3.0], dtype=torch.float64)
        return torch.cat([-tails, torch.special.ndtri(inner), tails])

    @property
    def probabilities(self) -> Tensor:
        """Those of the bins, the tails among them."""
        below = torch.special.ndtr(self.edges) if self.is_normal else (self.edges + 1) / 2
        ends = torch.tensor([0.0, 1.0], dtype=torch.float64)
        return torch.cat([ends[:1], below, ends[1:]]).diff()


def uniform(limit: float) -> Distribution:
    """Evenly between -limit and limit."""
    return Distribution(False, limit)


def normal(std: float) -> Distribution:
    """Normal with mean 0."""
    return Distribution(True, std)


def assert_drawn(
    values: Tensor, distribution: Distribution, *, again: Tensor | None = None, what: str = "weights"
) -> None:
    """A matrix of thousands of numbers is drawn from the distribution, each number independently of the
    others, and of those of another call (`again`).
    """
    flat = values.double().reshape(-1)
    finite = bool(flat.isfinite().all())
    assert_true(finite, f"{what}: there are NaN or inf", seen=finite)
    constant = float(flat[0]) if bool((flat == flat[0]).all()) else None
    noted = constant if constant is None or constant.is_integer() else "one number"
    assert_true(constant is None, f"{what}: all are {constant}, none is drawn", seen=noted or "drawn")
    z = _standardized(values)
    rows, columns = (size // 2 for size in z.shape)
    products = {
        "of one row with the next": z[1:] * z[:-1],
        "of one column with the next": z[:, 1:] * z[:, :-1],
        "of the rows above with those below": z[:rows] * z[-rows or len(z) :],
        "of the columns on the left with those on the right": z[:, :columns] * z[:, -columns or z.shape[1] :],
    }
    if again is not None:
        products["of one call with the next"] = z * _standardized(again)
        # A float32 is 0 once in 2^24 draws, so in the same place twice once in a billion of these matrices.
        left = int(((values == 0) & (again == 0)).sum())
        assert_true(
            left == 0, f"{what}: {left} of them are 0 at every call, as if never drawn", seen=left > 0
        )
    found = {name: product for name, product in products.items() if product.numel()}
    fewest = min(product.numel() for product in found.values())
    assert_uncorrelated({name: product.mean() for name, product in found.items()}, fewest)
    _assert_distributed(flat, distribution, what)
    different = flat.unique().numel()
    # In float32 there are 2^24 uniform ones at least, of which hardly any comes twice.
    few, hardly_any = (different < share * flat.numel() for share in (0.9, 0.05))
    message = f"{what}: of {flat.numel()} numbers only {different} are different"
    assert_true(not few, message, seen=[few, hardly_any])
    if distribution.is_normal:
        _assert_not_cut_off(flat, different, what)


def assert_uncorrelated(correlations: Mapping[str, Tensor], count: int) -> None:
    """Correlation coefficients by name, each the mean of so many products, are 0 up to chance."""
    sizes = {f"correlation {name}": float(abs(value)) for name, value in correlations.items()}
    # First rounded, for diagnosis: what is left is the same whatever is drawn.
    assert_numbers({name: float(round(size)) for name, size in sizes.items()}, dict.fromkeys(sizes, 0.0))
    name, largest = max(sizes.items(), key=lambda entry: entry[1])
    off = largest * math.sqrt(count)
    message = f"{name}: {off:.3g} standard deviations of chance, at most {SIGMAS} are allowed"
    assert_true(off <= SIGMAS, message, seen=off <= SIGMAS)


def assert_never_again(drawn: Sequence[Tensor], *, every: bool = False) -> None:
    """Of what was drawn with a probability of one half, positive or not, no 62 in a row stand anywhere else
    in it too. `every`: only if this is so in each of these.
    """
    found = [_comes_again(each) for each in drawn]
    again = all(found) if every else any(found)
    message = "62 elements in a row are dropped and kept just as 62 others were: they have the same numbers"
    assert_true(not again, message, seen=again if every else found)


def assert_drops_alike(module: Instance, rng: Rng, features: int) -> None:
    """A module in training, of vectors with so many features, drops each entry of two vectors that come
    thousands of times as often as any other entry, whatever its value is. How often does not matter here.
    """
    count = 6007
    which, entry = rng.integers(0, 2, count), rng.integers(0, features, count)
    came = module(rng.normal(2, features)[which][None])
    assert_equal(tuple(came.shape), (1, count, features), what="shape")
    if came.shape != (1, count, features):
        return
    # One entry of each vector: who drops whole vectors does so whatever they hold.
    dropped = (came[0, torch.arange(count), entry] == 0).double()
    group, share = which * features + entry, dropped.mean()
    times, drops = (torch.bincount(group, weights, 2 * features) for weights in (None, dropped))
    expected = times * share
    statistic = (drops - expected)[times > 0].square() / (expected * (1 - share))[times > 0]
    alike = not 0 < share < 1 or chance(statistic.sum(), int((times > 0).sum()) - 1) >= BY_CHANCE
    message = "some values are dropped more often than others: an entry is to be drawn whatever its value is"
    assert_true(alike, message, seen=alike)


def _comes_again(drawn: Tensor) -> bool:
    bits = (drawn.reshape(-1) > 0).long()
    count = max(len(bits) - 61, 0)
    in_a_row = sum((bits[place : place + count] << place for place in range(62)), torch.zeros(count).long())
    return bool(in_a_row.unique().numel() < count)  # of 70,000 by chance once in a billion


def assert_drops_apart(
    submission: Submission, name: str, sizes: Sequence[int], options: Mapping[str, Any], *inputs: Any
) -> None:
    """In one program, where the judge seeds nothing in between, a second call of a module in training drops
    others than the first, and so does a second module with the same weights. `name`: that of the class;
    `sizes` and `options`: what it is made with.
    """
    first, *others = submission.run(_of_two_modules, name, list(sizes), dict(options), *inputs)
    alike = [difference(other, first, tolerance=1e-9) is None for other in others]
    which = "a second call drops" if alike[0] else "a second module drops, call for call,"
    message = f"{which} the same as the first: where the random numbers come from, it begins anew"
    assert_true(not any(alike), message, seen=any(alike))


def _of_two_modules(answer: "Any", name: "Any", sizes: "Any", options: "Any", *inputs: "Any") -> "Any":
    """What a module gives in two calls, and another one with the same weights in one."""
    first, other = (getattr(answer, name)(*sizes, **options).double().train() for _ in range(2))
    with torch.no_grad():
        for mine, its in zip(first.parameters(), other.parameters(), strict=True):
            its.copy_(mine)
        return [first(*inputs), first(*inputs), other(*inputs)]


def _standardized(values: Tensor) -> Tensor:
    centred = values.double() - values.double().mean()
    return centred / centred.std().clamp(min=1e-12)


def _assert_distributed(values: Tensor, distribution: Distribution, what: str) -> None:
    """Mean, standard deviation and shape are those of the distribution."""
    mean, std = float(values.mean()), float(values.std())
    kurtosis = float(_standardized(values).pow(4).mean())
    coarse = [
        round(4 * mean / std) / 4,
        round(4 * math.log2(std / distribution.std)) / 4,
        round(2 * min(kurtosis, 10.0)) / 2,
    ]
    wanted = [0.0, 0.0, round(2 * distribution.kurtosis) / 2]
    record(torch.tensor(coarse), torch.tensor(wanted))
    if not _may_be_by_chance(values, distribution):
        found = f"mean {mean:.3g}, standard deviation {std:.4g}, {values.min():.4g} to {values.max():.4g}"
        kind = "normal" if distribution.is_normal else f"uniform (±{distribution.scale:.4g})"
        fail(f"{what}: {found}; expected {kind} with standard deviation {distribution.std:.4g}")


def _assert_not_cut_off(values: Tensor, different: int, what: str) -> None:
    """Of so many normal numbers some lie far from 0, whatever their standard deviation is."""
    furthest = float(values.abs().max() / values.std().clamp(min=1e-12))
    beyond = math.erfc(furthest / math.sqrt(2))  # the probability of each to lie further off
    cut_off = different * beyond > -math.log(BY_CHANCE)
    message = f"{what}: none of {different} numbers is further off than {furthest:.3g} standard deviations"
    assert_true(not cut_off, f"{message}, as if they were cut off there", seen=cut_off)


def _may_be_by_chance(values: Tensor, distribution: Distribution) -> bool:
    z, count = values / distribution.std, values.numel()
    near = abs(float(z.mean())) * math.sqrt(count) <= SIGMAS
    # The mean square has the variance kurtosis - 1.
    spread = abs(float(z.square().mean()) - 1) * math.sqrt(count / (distribution.kurtosis - 1)) <= SIGMAS
    # The limits may be rounded to the values' dtype.
    share = values / distribution.scale / (1 + 1e-6)
    counts = torch.bincount(torch.bucketize(share, distribution.edges), minlength=_BINS + 2).double()
    expected = distribution.probabilities * count
    possible = expected > 0.5
    if bool((counts[~possible] > 0).any()):
        return False
    statistic = ((counts - expected)[possible].square() / expected[possible]).sum()
    return near and spread and chance(statistic, int(possible.sum()) - 1) >= BY_CHANCE
