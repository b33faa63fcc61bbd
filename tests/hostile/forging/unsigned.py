"""Gives integers that torch cannot compare."""

import torch


def softmax(x, dim=-1):
    return x.detach().to(torch.uint16)


log_softmax = softmax
