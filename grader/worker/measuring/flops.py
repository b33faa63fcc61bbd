"""FLOPs of the operators that multiply matrices, by whatever name: two for each multiplication."""

from collections.abc import Callable
from typing import Any

import torch


def flops_of(name: str, args: Any, result: Any) -> int:
    """Of one call of an operator; 0 for all that are no products."""
    return int(2 * _MULTIPLICATIONS[name](args, result)) if name in _MULTIPLICATIONS else 0


def _product(first: Any, second: Any) -> int:
    """(…, n, k) @ (…, k, m) and every smaller form."""
    columns = second.shape[-1] if second.dim() > 1 else 1
    return int(_stored(first) * columns)


def _stored(tensor: Any) -> int:
    """The numbers that a tensor holds: of a sparse one, those that are there."""
    if tensor.layout is torch.strided or tensor.is_mkldnn:
        return int(tensor.numel())
    return int((tensor._values() if tensor.layout is torch.sparse_coo else tensor.values()).numel())


def _attention(args: Any, result: Any) -> int:
    query, key, value = args[:3]
    rows = query.numel() // query.shape[-1]
    return int(rows * key.shape[-2] * (query.shape[-1] + value.shape[-1]))


def _convolution(args: Any, result: Any) -> int:
    """A product of matrices can be written as one: every number of the result (of the input, where it is
    transposed) meets one filter."""
    tensor, weight, is_transposed = args[0], args[1], args[6]
    return int((tensor if is_transposed else result).numel() * weight[0].numel())


def _by_filters(args: Any, result: Any) -> int:
    """A convolution by a kernel's own name: every number of the result meets one filter."""
    return int(result.numel() * args[1][0].numel())


def _by_filters_back(args: Any, result: Any) -> int:
    """The same, transposed: every number of the input does."""
    return int(args[0].numel() * args[1][0].numel())


def _convolution_backward(args: Any, result: Any) -> int:
    """As many as forward for each of the two gradients that are asked for."""
    gradient, tensor, weight, is_transposed, asked = args[0], args[1], args[2], args[7], args[10]
    return int((tensor if is_transposed else gradient).numel() * weight[0].numel() * sum(asked[:2]))


def _solution(args: Any, result: Any) -> float:
    """Of a system with a triangle of coefficients, or with two: at least half of a product."""
    return _product(*args[:2]) / 2


def _trilinear(args: Any, result: Any) -> int:
    """Of three tensors, each with dimensions of size 1 put in: all numbers of their product."""
    shapes = []
    for tensor, places in zip(args[:3], args[3:6], strict=True):
        shape = list(tensor.shape)
        for place in sorted(places):
            shape.insert(place, 1)
        shapes.append(shape)
    return int(torch.broadcast_shapes(*shapes).numel())


def _bags(args: Any, result: Any) -> int:
    """Sums of rows, if each has a weight."""
    weights = args[6] if len(args) > 6 else None
    return 0 if weights is None else int(weights.numel() * args[0].shape[1])


def _groups(args: Any, result: Any) -> int:
    """Products of the groups of rows, of columns, or of both."""
    first, second = args[:2]
    share = first.shape[0] if first.dim() > second.dim() else 1
    return _product(first, second) // int(share)


_MULTIPLICATIONS: dict[str, Callable[[Any, Any], float]] = {
    **dict.fromkeys(("mm", "_int_mm", "bmm", "mv", "hspmm"), lambda args, _: _product(*args[:2])),
    **dict.fromkeys(
        ("addmm", "addmv", "baddbmm", "addbmm", "_addmm_activation", "_sparse_addmm", "sspaddmm"),
        lambda args, _: _product(*args[1:3]),
    ),
    "dot": lambda args, _: int(args[0].numel()),
    "sparse_sampled_addmm": lambda args, _: _stored(args[0]) * int(args[1].shape[-1]),
    "_grouped_mm": _groups,
    "mkldnn_linear": lambda args, _: int(args[0].numel() * args[1].shape[0]),
    "_trilinear": _trilinear,
    "_embedding_bag": _bags,
    "_embedding_bag_forward_only": _bags,
    **dict.fromkeys(
        ("_cdist_forward", "_euclidean_dist"), lambda args, result: int(result.numel() * args[0].shape[-1])
    ),
    **dict.fromkeys(("convolution", "_convolution", "convolution_overrideable"), _convolution),
    **dict.fromkeys(
        (
            *("_slow_conv2d_forward", "slow_conv3d_forward", "slow_conv_dilated2d", "slow_conv_dilated3d"),
            *("mkldnn_convolution", "_nnpack_spatial_convolution", "_conv_depthwise2d", "conv_depthwise3d"),
        ),
        _by_filters,
    ),
    **dict.fromkeys(("slow_conv_transpose2d", "slow_conv_transpose3d"), _by_filters_back),
    "convolution_backward": _convolution_backward,
    "_sparse_sparse_matmul": lambda args, _: _stored(args[0]) * int(args[1].shape[-1]),
    "_sparse_mm_reduce_impl": lambda args, _: _product(*args[:2]),
    "_weight_int8pack_mm": lambda args, _: int(args[0].numel() * args[1].shape[0]),
    "_scaled_mm": lambda args, _: _product(*args[:2]),
    "vdot": lambda args, _: int(args[0].numel()),
    "_pdist_forward": lambda args, result: int(result.numel() * args[0].shape[-1]),
    **dict.fromkeys(("linalg_matrix_exp", "linalg_inv_ex"), lambda args, _: _product(args[0], args[0])),
    **dict.fromkeys(("linalg_solve_triangular", "_linalg_solve_ex"), _solution),
    "linalg_lu_solve": lambda args, _: _product(args[0], args[2]),
    "cholesky_solve": lambda args, _: _product(args[1], args[0]),
    "conv_tbc": lambda args, result: int(result.numel() * args[1][:, :, 0].numel()),
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
}
