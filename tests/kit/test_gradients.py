"""The gradients of an answer: all of them, and in calls in which not all are needed."""

from contextlib import nullcontext
from functools import partial

import pytest
import torch
from kit.answers import failure

from grader.kit import assert_same_gradients
from grader.kit.generators import Rng
from grader.kit.rounds import second_round

ONES = torch.ones(2, 3, dtype=torch.float64)
both_rounds = pytest.mark.parametrize(
    "around", [nullcontext, partial(second_round, seed=7)], ids=["first", "second"]
)


def test_gradients(answer):
    assert_same_gradients(answer.double, lambda x: 2 * x, ONES)
    assert_same_gradients(answer.pair, lambda x, y: (x * y, x + y), ONES, 3 * ONES)
    assert "gradient" in failure(assert_same_gradients, answer.kept_on_the_class, lambda x: x * x, ONES)
    text = failure(assert_same_gradients, answer.detached, lambda x: 2 * x, ONES)
    assert text.startswith("no gradient reaches x; gradient of x: largest difference")
    scale = answer.Scale(3, 0.0)
    weights = scale.randomize(Rng("a name"))
    assert_same_gradients(scale, lambda w, x: x * w["weight"], ONES, weights=weights)
    text = failure(
        assert_same_gradients,
        scale,
        lambda w, x: x * w["weight"].detach() + w["weight"] * 0,
        ONES,
        weights=weights,
    )
    assert text.startswith("gradient of weight")


@both_rounds
def test_gradients_where_other_inputs_need_none(answer, around):
    with around():
        trained = answer.OnlyOfTrained(3, 0.0)
        weights = trained.randomize(Rng("a name"))
        text = failure(assert_same_gradients, trained, lambda w, x: x * w["weight"], ONES, weights=weights)
        assert text.startswith("where the inputs need none, no gradient reaches weight; ")
        for function in (answer.only_beside_another, answer.only_beside_the_last):
            text = failure(assert_same_gradients, function, lambda x, y: x * y, ONES, 3 * ONES)
            assert text.startswith("beside frozen inputs, no gradient reaches ")


@both_rounds
@pytest.mark.parametrize(
    "name, words",
    [
        ("OnlyInTraining", "in evaluation mode, which is about "),
        ("OnlyWhereItLearns", "where the parameters are frozen, "),
    ],
)
def test_gradients_of_inputs_in_evaluation_and_with_frozen_parameters(answer, around, name, words):
    module = getattr(answer, name)(3, 0.0)
    weights = module.randomize(Rng("a name"))
    with around():
        text = failure(assert_same_gradients, module, lambda w, x: x * w["weight"], ONES, weights=weights)
        assert text.startswith(words)
        assert "no gradient reaches " in text
        # Where evaluation gives something else, that is for other checks.
        other = answer.Scale(3, 0.0)
        given = other.randomize(Rng("a name"))
        assert_same_gradients(other, lambda w, x: x * w["weight"], ONES, weights=given)
        assert bool(module.parameters()) and bool(other(ONES).any())


@pytest.mark.parametrize(
    "name, oracle, words",
    [
        ("kept_by_the_last_call", lambda x: x**3, "where another call comes between a call and its backward"),
        ("writes_to_its_gradient", lambda x: x / 2, "backward writes to the gradient that it gets"),
        ("learns_in_float64", lambda x: 2 * x, "in float32, in which everybody trains, no gradient reaches"),
    ],
)
def test_what_is_only_looked_at_in_the_second_round(answer, name, oracle, words):
    function = getattr(answer, name)
    assert_same_gradients(function, oracle, ONES)
    with second_round(7):
        assert words in failure(assert_same_gradients, function, oracle, ONES)


@both_rounds
def test_nothing_has_no_gradients_to_lose(answer, around):
    with around():
        assert_same_gradients(answer.double, lambda x: 2 * x, ONES[:0])


def test_float32_leaves_a_module_as_it_was(answer):
    scale = answer.Scale(3, 0.0)
    given = scale.randomize(Rng("a name"))
    with second_round(7):
        assert_same_gradients(scale, lambda w, x: x * w["weight"], ONES, weights=given)
    assert torch.equal(scale.parameters()["weight"], given["weight"])
    assert scale.buffers()["seen"].dtype is torch.float64


def test_the_mode_of_a_module_stays(answer):
    for is_training in (True, False):
        scale = answer.Scale(3, 0.0)
        weights = scale.randomize(Rng("a name"))
        scale = scale.train() if is_training else scale.eval()
        assert_same_gradients(scale, lambda w, x: x * w["weight"], ONES, weights=weights)
        assert scale.attribute("training") is is_training
        assert scale.attribute("weight").requires_grad is False  # as a value; it learns:
        assert_same_gradients(scale, lambda w, x: x * w["weight"], ONES, weights=weights)
