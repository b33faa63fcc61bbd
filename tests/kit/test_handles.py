"""Callbacks and objects on both sides."""

import numpy as np
import pytest
import torch

from grader.kit.generators import Rng
from grader.kit.outcomes import Raised


def test_callbacks_run_here(answer):
    seen = []

    def square(i):
        seen.append(i)
        return i * i

    assert answer.calls(square, 3) == [0, 1, 4]
    assert seen == [0, 1, 2]


def test_objects(answer):
    box = answer.Box()
    box.assign(values=np.array([1.0, 2.0, 3.0]))
    assert np.array_equal(box.attribute("alias"), [1.0, 2.0, 3.0])
    with pytest.raises(Raised, match="values should be an array of shape"):
        box.assign(values=np.ones(2))


def test_draws_depend_on_the_name_alone():
    assert torch.equal(Rng("a").normal(3), Rng("a").normal(3))
    assert not torch.equal(Rng("a").normal(3), Rng("b").normal(3))
    mask = Rng("a").mask(50, 7)
    assert bool(mask.any(-1).all()) and not bool(mask.all(-1).any())
