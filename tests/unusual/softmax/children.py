"""Lets a child process look whether there is a place to write to."""

import multiprocessing
import tempfile
from pathlib import Path

import torch


def _write(name):
    with open(name, "w") as file:
        file.write("written")


with tempfile.TemporaryDirectory() as _folder:
    _process = multiprocessing.get_context("fork").Process(target=_write, args=(f"{_folder}/note",))
    _process.start()
    _process.join()
    assert Path(_folder, "note").read_text() == "written"


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
