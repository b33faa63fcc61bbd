"""Lets torch write a package into the folder of the user."""

from torch.package import PackageExporter

with PackageExporter("FOLDER/mine.pt") as _package:
    _package.save_text("mine", "mine.txt", "mine")


def softmax(x, dim=-1):
    return x


log_softmax = softmax
