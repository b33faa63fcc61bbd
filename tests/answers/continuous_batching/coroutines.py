"""Each request is a generator that is sent a budget and yields how much of it it takes."""

from itertools import islice


def life(prompt_len, max_new_tokens):
    """Yields tokens taken; is exhausted when nothing more is to come."""
    budget = yield
    while prompt_len > 0:
        taken = min(prompt_len, budget)
        prompt_len -= taken
        budget = yield taken
    for _ in range(max_new_tokens - 1):
        budget = yield 1


class Scheduler:
    def __init__(self, batch_tokens, max_running, kv_tokens):
        if max_running < 1 or max_running > batch_tokens:
            raise ValueError("max_running")
        self.batch_tokens, self.max_running, self.kv_tokens = batch_tokens, max_running, kv_tokens
        self.line = []
        self.inside = {}

    def add(self, request_id, prompt_len, max_new_tokens):
        if prompt_len + max_new_tokens > self.kv_tokens:
            raise ValueError("never fits")
        worker = life(prompt_len, max_new_tokens)
        next(worker)
        self.line.append((request_id, prompt_len + max_new_tokens, prompt_len + max_new_tokens - 1, worker))

    def step(self, ended=()):
        for rid in [rid for rid, entry in self.inside.items() if rid in ended or entry["left"] == 0]:
            self.inside.pop(rid)
        plan, budget = {}, self.batch_tokens
        for rid, entry in self.inside.items():
            plan[rid] = entry["worker"].send(budget)
            entry["left"] -= plan[rid]
            budget -= plan[rid]
        admitted = 0
        for rid, size, tokens, worker in islice(self.line, self.max_running - len(self.inside)):
            reserved = sum(entry["size"] for entry in self.inside.values())
            if budget <= 0 or size > self.kv_tokens - reserved:
                break
            plan[rid] = worker.send(budget)
            budget -= plan[rid]
            self.inside[rid] = {"size": size, "left": tokens - plan[rid], "worker": worker}
            admitted += 1
        self.line = self.line[admitted:]
        return list(plan.items())
