"""NumPy, and only the kept rows."""

import numpy as np
import torch


def softmax_backward(grad_output, output, dim=-1):
    g, y = grad_output.numpy(), output.numpy()
    return torch.from_numpy(np.multiply(y, g - np.sum(y * g, axis=dim, keepdims=True)))


def log_softmax_backward(grad_output, output, dim=-1):
    g = grad_output.numpy()
    return torch.from_numpy(g - np.exp(output.numpy()) * g.sum(axis=dim, keepdims=True))


def cross_entropy_backward(grad_output, log_probs, target, ignore_index=-100):
    (rows,) = np.nonzero(target.numpy() != ignore_index)
    grad = np.zeros_like(log_probs.numpy())
    grad[rows] = np.exp(log_probs.numpy()[rows])
    grad[rows, target.numpy()[rows]] -= 1
    return torch.from_numpy(grad * (float(grad_output) / len(rows))).to(log_probs.dtype)
