"""Continuous batching: who computes how many tokens in each step of a server, with prompts cut into chunks.

Requests come and go between steps instead of waiting for a whole batch, as in "Orca: A Distributed Serving
System for Transformer-Based Generative Models" (Yu et al., 2022); chunked prefill as in "Taming
Throughput-Latency Tradeoff in LLM Inference with Sarathi-Serve" (Agrawal et al., 2024). Nothing is forbidden,
but there is no torch here.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass


@dataclass
class _Request:
    id: int
    prompt_len: int
    max_new_tokens: int
    computed: int = 0  # of the prompt
    generated: int = 0

    @property
    def reserved(self) -> int:
        return self.prompt_len + self.max_new_tokens


class Scheduler:
    """Plans the steps of a model that serves many requests at once.

    A step computes at most batch_tokens tokens, for at most max_running requests. kv_tokens is how many
    tokens the cache holds; every running request reserves prompt_len + max_new_tokens of them from its
    admission until it leaves. Nobody who runs is stopped in favour of another.
    """

    def __init__(self, batch_tokens: int, max_running: int, kv_tokens: int) -> None:
        """Raises ValueError (or AssertionError) if max_running is outside 1 … batch_tokens."""
        if not 1 <= max_running <= batch_tokens:
            raise ValueError(f"max_running must be in 1 … {batch_tokens}, not {max_running}")
        self.batch_tokens = batch_tokens
        self.max_running = max_running
        self.kv_tokens = kv_tokens
        self._waiting: deque[_Request] = deque()
        self._running: list[_Request] = []

    def add(self, request_id: int, prompt_len: int, max_new_tokens: int) -> None:
        """A new request joins the end of the queue. No step knows of it before the next one.

        Ids differ, and need not come in order; prompt_len and max_new_tokens are at least 1. Raises
        ValueError (or AssertionError) if prompt_len + max_new_tokens is above kv_tokens: it could never run.
        Then nothing changes.
        """
        request = _Request(request_id, prompt_len, max_new_tokens)
        if request.reserved > self.kv_tokens:
            raise ValueError(f"{request.reserved} tokens never fit into a cache of {self.kv_tokens}")
        self._waiting.append(request)

    def step(self, ended: Collection[int] = ()) -> list[tuple[int, int]]:
        """What the next step computes: (id, number of tokens) of all running requests, in order of admission.

        1. Requests that have generated max_new_tokens leave, and so do those in `ended`, whose token of the
           last step was the end of their text. What they reserved is free.
        2. The budget is batch_tokens. Each running request, in order of admission, takes from it
           min(prompt tokens not yet computed, budget), or 1 if its prompt is done. (It always lasts: only the
           last one admitted can have an unfinished prompt.)
        3. While somebody waits, budget is left and fewer than max_running run: the *first* of the queue is
           admitted if what all running ones and it reserve is at most kv_tokens, and gets prompt tokens at
           once, as in 2. If it does not fit, nobody behind it is admitted either.

        The step that computes the last prompt token generates the first new token, each later one one more.
        So a request that is not ended early gets prompt_len + max_new_tokens - 1 tokens in all. A request
        with max_new_tokens = 1 is done after the step that finishes its prompt.

        ended: a list, set or tuple of ids that generated a token in the last step, perhaps its last one. It
        is not modified. The result is a new list each time, [] without anything to do: a plan that somebody
        has kept stays as it is.
        """
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
        plan, budget = [], self.batch_tokens
        for request in self._running:
            tokens = _advance(request, budget)
            plan.append((request.id, tokens))
            budget -= tokens
        while self._waiting and budget > 0 and len(self._running) < self.max_running:
            reserved = sum(request.reserved for request in self._running)
            if reserved + self._waiting[0].reserved > self.kv_tokens:
                break  # whoever is behind it waits too, or it might never run
            request = self._waiting.popleft()
            self._running.append(request)
            tokens = _advance(request, budget)
            plan.append((request.id, tokens))
            budget -= tokens
        return plan


def _advance(request: _Request, budget: int) -> int:
    """How many tokens the request computes with so much budget left; notes what that does to it."""
    left = request.prompt_len - request.computed
    tokens = min(left, budget) if left > 0 else 1
    request.computed += min(tokens, left)
    if request.computed == request.prompt_len:
        request.generated += 1
    return tokens
