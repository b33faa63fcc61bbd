"""Asks a server of another machine for a page."""

import urllib.request

import torch

urllib.request.urlopen("http://192.0.2.1/", timeout=1)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
