"""Every request is a generator that is sent the budget and yields the tokens it takes."""

from collections import deque


def _life(prompt_len, max_new_tokens):
    budget = yield
    while prompt_len:
        taken = min(prompt_len, budget)
        prompt_len -= taken
        budget = yield taken
    for _ in range(max_new_tokens - 1):
        budget = yield 1


class _Request:
    def __init__(self, number, prompt_len, max_new_tokens):
        self.number = number
        self.reserved = prompt_len + max_new_tokens
        self.left = prompt_len + max_new_tokens - 1
        self.life = _life(prompt_len, max_new_tokens)
        next(self.life)

    def __call__(self, budget):
        taken = self.life.send(budget)
        self.left -= taken
        return taken


class Scheduler:
    def __init__(self, batch_tokens, max_running, kv_tokens):
        if max_running < 1 or max_running > batch_tokens:
            raise ValueError("max_running must be in 1 … batch_tokens")
        self._limits = batch_tokens, max_running, kv_tokens
        self._queue, self._running = deque(), []

    def add(self, request_id, prompt_len, max_new_tokens):
        request = _Request(request_id, prompt_len, max_new_tokens)
        if request.reserved > self._limits[2]:
            raise ValueError("this request could never run")
        self._queue.append(request)

    def _candidates(self):
        yield from list(self._running)
        while self._queue and len(self._running) < self._limits[1]:
            first = self._queue[0]
            if sum(r.reserved for r in self._running) + first.reserved > self._limits[2]:
                return
            self._running.append(self._queue.popleft())
            yield first

    def step(self, ended=()):
        self._running = [r for r in self._running if r.left and r.number not in ended]
        budget, plan = self._limits[0], []
        candidates = self._candidates()
        while budget:
            request = next(candidates, None)
            if request is None:
                break
            taken = request(budget)
            budget -= taken
            plan.append((request.number, taken))
        return plan
