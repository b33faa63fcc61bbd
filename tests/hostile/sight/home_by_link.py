"""Reads a file of the user by a link that another folder has too."""

import os

os.mkdir("there")
os.symlink("SECRET", "there/name")
with open("name", "w") as _file:
    _file.write("harmless")
print(os.read(os.open("name", os.O_RDONLY, dir_fd=os.open("there", os.O_RDONLY)), 99))


def softmax(x, dim=-1):
    return x


log_softmax = softmax
