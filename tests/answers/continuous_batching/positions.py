"""One number for each request: how many tokens it has had. A NumPy table; prints what it plans."""

from typing import NamedTuple

import numpy as np


class Entry(NamedTuple):
    rid: int
    tokens: int


class Scheduler:
    def __init__(self, batch_tokens, max_running, kv_tokens):
        if max_running not in range(1, batch_tokens + 1):
            raise ValueError("max_running has to be in 1 … batch_tokens")
        self.batch_tokens, self.max_running, self.kv_tokens = batch_tokens, max_running, kv_tokens
        self.table = np.zeros((0, 4), dtype=np.int64)  # id, prompt, total, had
        self.count = 0  # of them run: the first rows

    def add(self, request_id, prompt_len, max_new_tokens):
        if prompt_len + max_new_tokens > self.kv_tokens:
            raise AssertionError("too large for the cache")
        row = np.array([[request_id, prompt_len, prompt_len + max_new_tokens, 0]])
        self.table = np.concatenate([self.table, row])

    def step(self, ended=()):
        rid, _, total, had = self.table.T
        runs = np.arange(len(self.table)) < self.count
        done = runs & ((had >= total - 1) | np.isin(rid, list(ended)))
        self.table, self.count = self.table[~done], self.count - int(done.sum())
        budget, plan = self.batch_tokens, []
        for place, row in enumerate(self.table):
            if place >= self.count:
                full = self.table[: self.count, 2].sum() + row[2] > self.kv_tokens
                if budget == 0 or self.count == self.max_running or full:
                    break
                self.count += 1
            tokens = int(min(max(row[1] - row[3], 1), budget))
            row[3] += tokens
            budget -= tokens
            plan.append(Entry(int(row[0]), tokens))
        print(plan)
        return plan
