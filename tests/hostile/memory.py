"""Takes all the memory that it gets."""

import torch


def softmax(x, dim=-1):
    hoard = []
    while True:
        hoard.append(torch.empty(2**26))


log_softmax = softmax
