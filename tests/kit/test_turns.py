"""Calls by turns: what is drawn is told as that, and leaves the same evidence however it is drawn."""

import pytest
import torch
from kit.answers import failure

from grader.kit.generators import Rng
from grader.kit.recording import recording
from grader.kit.rules.turns import Player, assert_by_turns, with_weights


def turns(function, oracle, seed="turns"):
    calls = [(Rng(f"{seed} {number}").normal(3, 5),) for number in range(4)]
    assert_by_turns(Player(function, oracle, calls))


def test_right_answers_pass(answer):
    turns(answer.double, lambda x: 2 * x)
    turns(answer.Scale(5).eval(), lambda x: x)


@pytest.mark.parametrize("p", [0.3, 0.5])
def test_what_is_drawn_is_said_and_not_what_came(answer, p):
    drawing, evidence = answer.Scale(5, p).train(), []
    for seed in ("one", "another"):
        text = failure(turns, drawing, lambda x: x, seed)
        assert text == "call 1: the same call gives something else each time"
        with recording() as made, pytest.raises(Exception, match="something else each time"):
            turns(drawing, lambda x: x, seed)
        evidence.append([record.came for record in made])
    assert evidence == [["drawn"], ["drawn"]]


def test_what_is_wrong_without_being_drawn_is_compared(answer):
    assert "call 1: largest difference" in failure(turns, answer.double, lambda x: 3 * x)


def test_an_answer_that_raises_when_it_is_called_again_is_compared(answer):
    left = [0.0]

    def once(x):
        left[0] += 1
        return x if left[0] < 5 else answer.breaks(1)

    assert "call 1: largest difference" in failure(turns, once, lambda x: 3 * x)


def test_what_does_not_count_may_be_drawn(answer):
    """Behind what counts it drops at random; what counts is wrong, and always the same."""
    drawing, counts = answer.Scale(5).train(), torch.tensor([True, False, False])

    def partly(x):
        return torch.cat([2 * x[:1], drawing(x[1:])])

    calls = [(Rng(str(number)).normal(3, 5),) for number in range(4)]
    text = failure(assert_by_turns, Player(partly, lambda x: x, calls, lambda *_: counts))
    assert "call 1: largest difference" in text


def followed(module, calls):
    given = [(Rng(str(number)).normal(3, 5),) for number in range(calls)]
    assert_by_turns(with_weights(Rng("weights"), module, lambda weights, x: x * weights["weight"], given))


@pytest.mark.parametrize("calls", [1, 2, 4])
def test_weights_that_change_are_followed(answer, calls):
    followed(answer.Scale(5).eval(), calls)


def test_weights_that_are_kept_are_found_in_the_grad_mode_that_keeps_them(answer):
    text = failure(followed, answer.KeepsWithoutGradients(5), 4)
    assert "after the weights got other values in place: largest difference" in text


def test_arguments_that_are_kept_are_found_when_the_same_tensor_comes_with_other_values(answer):
    text = failure(followed, answer.KeepsWhatItWasGiven(5), 4)
    assert "after argument 1 got other values in place: largest difference" in text


def test_what_is_kept_until_something_changes_is_no_mistake(answer):
    followed(answer.KeepsByVersion(5).eval(), 4)
