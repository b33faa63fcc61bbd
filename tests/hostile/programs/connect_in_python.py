"""Connects to a server of this machine."""

import socket

import torch

socket.create_connection(("127.0.0.1", 22), timeout=1)


def softmax(x, dim=-1):
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
