"""Keeps a table in files of its own, by pickle, NumPy, SQLite and torch."""

import json
import pickle
import sqlite3

import numpy as np
import torch

_table = {"one": 1.0, "two": [2.0, 3.0]}
assert pickle.loads(pickle.dumps(_table)) == json.loads(json.dumps(_table)) == _table
torch.save({"ones": torch.ones(2)}, "table.pt")
np.save("table.npy", np.ones(2))
assert torch.load("table.pt")["ones"].sum() == np.load("table.npy").sum()
with sqlite3.connect("table.db") as _database:
    _database.execute("create table numbers (n)")


def softmax(x, dim=-1):
    exps = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return exps / exps.sum(dim=dim, keepdim=True)


def log_softmax(x, dim=-1):
    x = x - x.amax(dim=dim, keepdim=True)
    return x - x.exp().sum(dim=dim, keepdim=True).log()
