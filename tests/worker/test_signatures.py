"""What the arguments of an answer's functions are called, as `inspect` says it and sooner."""

import functools
import inspect

import pytest
import torch

from grader.worker.answering.signatures import plain_names


class Things:
    def method(self, first, second=2): ...

    @classmethod
    def of_class(cls, first): ...

    @staticmethod
    def static(first, second): ...

    def __call__(self, first): ...

    def without_self(): ...

    partial = functools.partialmethod(method, 1)


def wrapper(*args, **kwargs): ...


@functools.wraps(Things.method)
def wrapped(anything): ...


def annotated(anything): ...


annotated.__signature__ = inspect.signature(lambda another: None)


PLAIN = [
    lambda: None,
    lambda x, axis=-1: None,
    lambda x: lambda: x,
    Things.method,
    Things().method,
    Things.of_class,
    Things.static,
    Things().static,
    torch.nn.Linear(2, 2).forward,
]
OTHERS = [
    wrapper,
    wrapped,
    annotated,
    lambda x, /: None,
    lambda *, x: None,
    lambda x, *rest: None,
    Things,
    Things(),
    Things().partial,
    Things().without_self,
    functools.partial(Things.static, 1),
    torch.softmax,
    len,
]


@pytest.mark.parametrize("function", PLAIN)
def test_plain_functions_and_methods(function):
    assert plain_names(function) == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("function", OTHERS)
def test_of_others_inspect_has_to_say_it(function):
    assert plain_names(function) is None
