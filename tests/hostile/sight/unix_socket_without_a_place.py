"""Connects to a socket that lies in no folder."""

import socket

socket.socket(socket.AF_UNIX).connect("\0SOCKET")


def softmax(x, dim=-1):
    return x


log_softmax = softmax
