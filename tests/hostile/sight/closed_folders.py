"""Leaves folders that nobody may look into."""

import os

for _name in ("a", "a/b", "a/b/c"):
    os.mkdir(_name)
open("a/b/c/file", "w").close()
for _name in ("a/b/c/file", "a/b/c", "a/b", "a"):
    os.chmod(_name, 0)


def softmax(x, dim=-1):
    return x


log_softmax = softmax
