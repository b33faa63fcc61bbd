"""Known wrong versions of `continuous_batching` in what is reserved, and in whose prompts come when."""

from grader.kit import Mistake

_ADMITTING = """\
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
"""

MISTAKES = [
    Mistake(
        "ended-written-to",
        find="""\
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
""",
        replace="""\
        ended = ended if isinstance(ended, set) else set(ended)
        ended |= {each.id for each in self._running if each.generated == each.max_new_tokens}
        self._running = [request for request in self._running if request.id not in ended]
""",
        says="You add to ended, the caller's own set, the ids that are done. Make a set of your own.",
    ),
    Mistake(
        "reserved-as-it-grows",
        find="        return self.prompt_len + self.max_new_tokens",
        replace="        return self.prompt_len + self.generated",
        also=(
            (
                "        if request.reserved > self.kv_tokens:",
                "        if prompt_len + max_new_tokens > self.kv_tokens:",
            ),
        ),
        says="You reserve a request's prompt and the tokens that it has generated so far. It goes on, and "
        "with others admitted beside it the cache overflows: prompt_len + max_new_tokens are set aside when "
        "it is admitted.",
    ),
    Mistake(
        "prompt-reserved-at-admission",
        find="        return self.prompt_len + self.max_new_tokens",
        replace="        return self.prompt_len",
        also=(
            (
                "        if request.reserved > self.kv_tokens:",
                "        if prompt_len + max_new_tokens > self.kv_tokens:",
            ),
        ),
        says="add refuses by prompt_len + max_new_tokens, but at admission you count the prompts only. The "
        "tokens that will be generated need room in the cache too: reserve both.",
    ),
    Mistake(
        "prompts-cut-only-when-alone",
        find="            if reserved + self._waiting[0].reserved > self.kv_tokens:\n",
        replace="            if plan and self._waiting[0].prompt_len > budget:\n                break\n"
        "            if reserved + self._waiting[0].reserved > self.kv_tokens:\n",
        says="You cut a prompt into chunks only where the step is still empty; behind others it waits until "
        "the budget has room for all of it. What is left of the budget goes unused: admit it and give it "
        "that much.",
    ),
    Mistake(
        "prompts-before-those-who-write",
        find=_ADMITTING,
        replace="""\
        while self._waiting and len(self._running) < self.max_running:
            reserved = sum(request.reserved for request in self._running)
            if reserved + self._waiting[0].reserved > self.kv_tokens:
                break
            self._running.append(self._waiting.popleft())
        shares: dict[int, int] = {}
        for request in sorted(self._running, key=lambda each: each.computed == each.prompt_len):
            if budget > 0:
                shares[request.id] = _advance(request, budget)
                budget -= shares[request.id]
        return [(each.id, shares[each.id]) for each in self._running if each.id in shares]
""",
        says="You admit requests first and compute all unfinished prompts before those who write get their "
        "tokens, so these stop while prompts take the budget. Those who run come first, in order of "
        "admission; a new request is admitted only to what is left.",
    ),
]
