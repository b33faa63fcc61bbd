"""What check files import: assertions, mistakes, and the handles that the fixtures give them."""

from grader.kit.assertions import (
    assert_accepts,
    assert_again,
    assert_arguments_unchanged,
    assert_at_most,
    assert_close,
    assert_distribution,
    assert_dropout_in_training_only,
    assert_equal,
    assert_fits,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_numbers,
    assert_parameters,
    assert_raises,
    assert_true,
)
from grader.kit.handles import Function, Instance, Submission
from grader.kit.mistakes import Mistake
from grader.kit.rules.gradients import assert_same_gradients

__all__ = [
    "Function",
    "Instance",
    "Mistake",
    "Submission",
    "assert_accepts",
    "assert_again",
    "assert_arguments_unchanged",
    "assert_at_most",
    "assert_close",
    "assert_distribution",
    "assert_dropout_in_training_only",
    "assert_equal",
    "assert_fits",
    "assert_inputs_unchanged",
    "assert_nothing_dropped",
    "assert_numbers",
    "assert_parameters",
    "assert_raises",
    "assert_same_gradients",
    "assert_true",
]
