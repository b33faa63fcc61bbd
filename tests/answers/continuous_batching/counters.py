"""Dicts of counters, a list as queue, plain loops; reserved tokens are kept as a running sum."""


class Scheduler:
    def __init__(self, batch_tokens, max_running, kv_tokens):
        assert 0 < max_running <= batch_tokens
        self.limits = (batch_tokens, max_running, kv_tokens)
        self.queue = []
        self.active = []
        self.todo = {}  # prompt tokens left
        self.remaining = {}  # new tokens left
        self.size = {}
        self.used = 0

    def add(self, request_id, prompt_len, max_new_tokens):
        size = prompt_len + max_new_tokens
        if size > self.limits[2]:
            raise ValueError("too large")
        self.todo[request_id], self.remaining[request_id], self.size[request_id] = (
            prompt_len,
            max_new_tokens,
            size,
        )
        self.queue.append(request_id)

    def step(self, ended=()):
        ended = set(ended)
        for rid in list(self.active):
            if rid in ended or self.remaining[rid] == 0:
                self.active.remove(rid)
                self.used -= self.size[rid]
        out = []
        left = self.limits[0]
        for rid in self.active:
            n = 1
            if self.todo[rid]:
                n = min(left, self.todo[rid])
            left = self.give(rid, n, left, out)
        while left and self.queue and len(self.active) != self.limits[1]:
            rid = self.queue[0]
            if self.used + self.size[rid] > self.limits[2]:
                return out
            del self.queue[0]
            self.active.append(rid)
            self.used += self.size[rid]
            left = self.give(rid, min(left, self.todo[rid]), left, out)
        return out

    def give(self, rid, n, left, out):
        if self.todo[rid] > 0:
            self.todo[rid] -= n
        if self.todo[rid] == 0:
            self.remaining[rid] -= 1
        out.append((rid, n))
        return left - n
