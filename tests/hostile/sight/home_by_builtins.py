"""Patches the built-in functions that a guard would use, then reads a file of the user."""

import builtins

builtins.isinstance = lambda value, kind: False
builtins.any = lambda values: True
print(open("SECRET").read())


def softmax(x, dim=-1):
    return x


log_softmax = softmax
