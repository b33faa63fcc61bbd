"""Connects to a socket of the system."""

import socket

socket.socket(socket.AF_UNIX).connect("SOCKET")


def softmax(x, dim=-1):
    return x


log_softmax = softmax
