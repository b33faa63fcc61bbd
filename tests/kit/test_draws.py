"""What is drawn rightly passes; another size, shape or dependence is told."""

import pytest
import torch

from grader.kit.outcomes import CheckFailed
from grader.kit.rules.draws import assert_drawn, normal, uniform

SHAPE = (131, 211)


def drawn(distribution):
    generator = torch.Generator().manual_seed(1)
    if distribution.is_normal:
        return torch.randn(SHAPE, generator=generator) * distribution.scale
    return (2 * torch.rand(SHAPE, generator=generator) - 1) * distribution.scale


@pytest.mark.parametrize("distribution", [normal(0.02), uniform(0.1)])
def test_what_is_drawn_rightly_passes(distribution):
    assert float(distribution.probabilities.sum()) == pytest.approx(1)
    assert_drawn(drawn(distribution), distribution)


WRONG = {
    "a row of each": lambda z: z[:1].expand(SHAPE),
    "one half twice": lambda z: torch.cat([z[:65], z[65:66], z[:65]]),
    "larger": lambda z: 1.1 * z,
    "shifted": lambda z: z + 0.1 * z.std(),
    "cut off": lambda z: torch.where(z.abs() > 3 * z.std(), 0 * z, z),
    "normal": lambda z: z.std() * torch.randn(SHAPE, generator=torch.Generator().manual_seed(2)) * 1.01,
    "constant": lambda z: 0 * z,
    "not a number": lambda z: z / 0 * 0,
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name):
    distribution = uniform(0.1) if name == "normal" else normal(0.02)
    with pytest.raises(CheckFailed):
        assert_drawn(WRONG[name](drawn(distribution)), distribution)


def test_the_same_draw_again_is_told():
    values = drawn(normal(0.02))
    with pytest.raises(CheckFailed, match="one call with the next"):
        assert_drawn(values, normal(0.02), again=values)


def test_a_place_that_is_never_drawn_is_told():
    first, second = (drawn(normal(0.02)).roll(shift, 0) for shift in (0, 1))
    assert_drawn(first, normal(0.02), again=second.flip(1))
    first[-1, -1] = second[-1, -1] = 0.0
    with pytest.raises(CheckFailed, match="1 of them are 0 at every call"):
        assert_drawn(first, normal(0.02), again=second)
