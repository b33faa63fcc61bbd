"""Writes small files to where a program may."""

import tempfile
from pathlib import Path

import torch

Path("notes.txt").write_text("notes")
with tempfile.NamedTemporaryFile("w") as file:
    file.write("more")
(Path.home() / ".cache").mkdir(exist_ok=True)


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    return shifted - shifted.exp().sum(dim=dim, keepdim=True).log()
