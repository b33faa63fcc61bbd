"""What an answer's operations make anew: views, which look at another tensor's memory, do not count."""

import math
from collections.abc import Collection
from functools import cache

import torch

from grader.kit.measured import Measured


def largest_new_tensor(measured: Measured, *, but: Collection[int] = ()) -> int:
    """Elements of the largest tensor that an operation has made: views, what is changed in place, and what
    has as many elements as one of `but` aside.
    """
    shapes = [
        shape for operation in measured.operations if _makes_new(operation.name) for shape in operation.shapes
    ]
    return max((size for size in map(math.prod, shapes) if size not in but), default=0)


@cache
def _makes_new(name: str) -> bool:
    """Whether an aten operator gives a tensor with memory of its own. Only views give what aliases an input,
    and only operators in place give their input itself.
    """
    packet = getattr(torch.ops.aten, name, None)
    if packet is None:
        return True
    schemas = [getattr(packet, overload)._schema for overload in packet.overloads()]
    of_tensors = [each for each in schemas if each.arguments and str(each.arguments[0].type) == "Tensor"]
    return not all(
        any(value.alias_info is not None for value in each.returns) for each in of_tensors or schemas
    )
