"""Leaves links to the folder of the user, and to each other."""

import os

os.symlink("FOLDER", "theirs")
os.symlink("one", "other")
os.symlink("other", "one")
for _number in range(300):
    os.mkdir(f"folder{_number}")
    os.symlink("FOLDER", f"folder{_number}/theirs")


def softmax(x, dim=-1):
    return x


log_softmax = softmax
