"""Loops over rows, each with its own few numbers."""

import torch


def _rows(tensor, dim):
    return tensor.movedim(dim, -1).reshape(-1, tensor.shape[dim])


def _back(rows, like, dim):
    return torch.stack(rows).reshape(like.movedim(dim, -1).shape).movedim(-1, dim)


def softmax_backward(grad_output, output, dim=-1):
    found = []
    for g, y in zip(_rows(grad_output, dim), _rows(output, dim), strict=True):
        inner = torch.dot(g, y)
        found.append(y * g - y * inner)
    return _back(found, output, dim)


def log_softmax_backward(grad_output, output, dim=-1):
    pairs = zip(_rows(grad_output, dim), _rows(output, dim), strict=True)
    return _back([g - torch.exp(y) * g.sum() for g, y in pairs], output, dim)


def cross_entropy_backward(grad_output, log_probs, target, ignore_index=-100):
    labels = target.tolist()
    count = sum(label != ignore_index for label in labels)
    grad = torch.zeros_like(log_probs)
    for i, label in enumerate(labels):
        if label == ignore_index:
            continue
        grad[i] = log_probs[i].exp()
        grad[i, label] -= 1.0
        grad[i] *= grad_output / count
    return grad
