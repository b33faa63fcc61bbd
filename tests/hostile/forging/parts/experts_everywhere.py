"""Runs every expert on every token. Whose products are to be made otherwise replaces `_product`."""

import torch
import torch.nn.functional as F
from solution import MoE, _Expert


def _product(x, weight):
    return x @ weight.T


def forward(self, x):
    tokens = x.flatten(0, 1)
    logits = self.router(tokens)
    top, chosen = logits.topk(self.top_k, dim=-1)
    weights = top.softmax(dim=-1)
    output = torch.zeros_like(tokens)
    for index, expert in enumerate(self.experts):
        choices = chosen == index
        if choices.any():
            result = expert(tokens) * (weights * choices).sum(-1, keepdim=True)
            output = torch.where(choices.any(-1, keepdim=True), output + result, output)
    return output.view_as(x), logits.view(*x.shape[:2], -1)


def expert_forward(self, x):
    gate = F.silu(_product(x, self.gate_proj.weight))
    return _product(gate * _product(x, self.up_proj.weight), self.down_proj.weight)


MoE.forward, _Expert.forward = forward, expert_forward
