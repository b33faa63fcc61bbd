"""A float64 tensor that is moved in place; the derivative by autograd; the rate inside the velocity."""

import torch


def quadratic_gradient(x):
    leaf = torch.tensor(float(x), dtype=torch.float64, requires_grad=True)
    (leaf * leaf + leaf + 1).backward()
    return leaf.grad.item()


def gradient_descent(gradient, start, learning_rate, steps, momentum=0.0):
    point = torch.tensor(start, dtype=torch.float64)
    move = torch.zeros_like(point)
    visited = torch.empty(steps + 1, dtype=torch.float64)
    visited[0] = point
    for step in range(1, steps + 1):
        move.mul_(momentum).add_(learning_rate * gradient(point.item()))
        point.sub_(move)
        visited[step] = point
    return visited.tolist()
