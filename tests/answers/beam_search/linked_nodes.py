"""Nodes that point to their parents, negative costs, and float32 sums; recursion instead of a loop."""

from dataclasses import dataclass

import torch


@dataclass
class Node:
    token: int
    cost: torch.Tensor
    parent: "Node | None" = None
    depth: int = 0

    def path(self):
        return (self.parent.path() if self.parent else []) + [self.token]


def _step(nodes, log_probs, eos_id, width, steps):
    growing = [n for n in nodes if n.depth == 0 or n.token != eos_id]
    if steps == 0 or not growing:
        return nodes
    pool = [n for n in nodes if n not in growing]
    probs = log_probs(torch.stack([torch.as_tensor(n.path()) for n in growing])).float()
    for node, row in zip(growing, probs, strict=True):
        values, tokens = row.topk(min(width, len(row)))  # no more than width of one row can survive
        for value, token in zip(values, tokens, strict=True):
            if torch.isfinite(value):
                pool.append(Node(int(token), node.cost - value, node, node.depth + 1))
    pool.sort(key=lambda n: n.cost.item())
    return _step(pool[:width], log_probs, eos_id, width, steps - 1)


def beam_search(log_probs, bos_id, eos_id, beam_width, max_len, length_penalty=0.0):
    root = Node(bos_id, torch.zeros(()))
    nodes = _step([root], log_probs, eos_id, beam_width, max_len - 1)
    results = [(n.path(), -float(n.cost) / float(n.depth) ** length_penalty) for n in nodes]
    results.sort(key=lambda r: r[1])
    return results[::-1]
