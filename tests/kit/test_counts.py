"""What chance decides, and what is measured."""

from typing import Any

import torch
import torch.nn.functional as F
from kit.answers import failure
from torch import Tensor

from grader.kit import (
    assert_distribution,
    assert_dropout_in_training_only,
)


def test_dropout(answer):
    assert_dropout_in_training_only(answer.Scale(3), torch.ones(50, 3))
    text = failure(assert_dropout_in_training_only, answer.Scale(3, 0.0), torch.ones(50, 3))
    assert "dropout does nothing" in text


def test_distribution():
    probabilities = torch.tensor([0.5, 0.3, 0.2, 0.0])
    fair = torch.multinomial(
        probabilities, 20_000, replacement=True, generator=torch.Generator().manual_seed(1)
    )
    assert_distribution(fair, probabilities)
    assert "is drawn in" in failure(assert_distribution, fair, torch.tensor([0.45, 0.35, 0.2, 0.0]))
    assert "cannot be drawn" in failure(assert_distribution, torch.tensor([3, 0, 1]), probabilities)


def test_measuring(answer):
    measured = answer.measure(matmul_twice, torch.ones(2, 3), torch.ones(3, 5))
    assert measured.matmul_flops == 2 * (2 * 2 * 3 * 5)
    assert measured.largest_tensor == 10
    products = [operation for operation in measured.operations if operation.matmul_flops]
    assert [(product.shapes, product.inside, product.times) for product in products] == [
        (((2, 5),), "matmul", 2)
    ]
    assert sum(product.elements for product in products) == 20
    assert measured.elements >= 30  # the sum of both too


def matmul_twice(answer, a: "Tensor", b: "Tensor"):
    return a @ b + torch.matmul(a, b)


def test_a_product_is_counted_as_a_convolution_too(answer):
    x, weight = torch.ones(2, 3, 7), torch.ones(5, 3, 1)
    assert answer.measure(convolved, x, weight).matmul_flops == 2 * (2 * 7) * 3 * 5
    assert answer.measure(convolved, x, torch.ones(3, 5, 1), transposed=True).matmul_flops == 2 * 14 * 3 * 5


def convolved(answer, x: "Tensor", weight: "Tensor", transposed: "Any" = False):
    return F.conv_transpose1d(x, weight) if transposed else F.conv1d(x, weight)
