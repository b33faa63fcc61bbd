"""Leaves 1,200 folders, each within the one before."""

import os

for _ in range(1200):
    os.mkdir("deeper")
    os.chdir("deeper")
os.chmod(".", 0)


def softmax(x, dim=-1):
    return x


log_softmax = softmax
