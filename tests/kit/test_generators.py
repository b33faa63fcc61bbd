"""What is drawn for everybody alike, and what no answer can know."""

import torch

from grader.kit.generators import upstream_generator
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
