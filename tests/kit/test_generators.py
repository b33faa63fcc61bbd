"""What is drawn for everybody alike, and what no answer can know."""

import pytest
import torch

from grader.kit.generators import Rng, upstream_generator
from grader.kit.rounds import second_round


def test_what_a_backward_begins_with_is_known_in_the_first_round_only():
    usual = torch.randn(3, generator=upstream_generator())
    assert torch.equal(torch.randn(3, generator=upstream_generator()), usual)
    drawn = []
    for seed in (7, 8, 7):
        with second_round(seed):
            drawn.append(torch.randn(3, generator=upstream_generator()))
    assert torch.equal(drawn[0], drawn[2])
    assert not torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], usual)


def test_options_of_the_first_round_are_the_usual_ones_and_draw_nothing() -> None:
    rng = Rng("a case")
    assert rng.option(0.3, 0.01, 10.0) == 0.3
    assert rng.option(3, 1, 10) == 3
    assert rng.normal(2).equal(Rng("a case").normal(2))


@pytest.mark.parametrize("usual, low, high", [(0.3, 0.01, 10.0), (3, 1, 500), (0.5, 0.3, 0.31)])
def test_options_of_the_second_round_are_drawn_from_all_sizes(usual: float, low: float, high: float) -> None:
    drawn = []
    for seed in range(200):
        with second_round(seed):
            drawn.append(Rng(f"a case {seed}").option(usual, low, high))
    assert all(low <= each <= high and type(each) is type(usual) for each in drawn)
    if high > 2 * low:
        assert len(set(drawn)) > 30 and min(drawn) < 2 * low and max(drawn) > high / 2
        assert any(float(f"{each:.1g}") == each for each in drawn)
