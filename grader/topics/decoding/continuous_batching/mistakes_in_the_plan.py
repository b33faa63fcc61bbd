"""Known wrong versions of `continuous_batching` in what is reserved, who leaves, and whose turn it is."""

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

_LEAVING = """\
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
"""
_EMPTY = "        self._running: list[_Request] = []\n"
_WHILE = "        while self._waiting and budget > 0 and len(self._running) < self.max_running:\n"
_RESERVED = "            reserved = sum(request.reserved for request in self._running)\n"
_FIRST = "            request = self._waiting.popleft()\n"
_LIMITS = "if not 1 <= max_running <= batch_tokens:"
_NOT_DONE = "request.generated < request.max_new_tokens"

MISTAKES = [
    Mistake(
        "reservation-given-back-twice",
        find=_LEAVING,
        replace="""\
        for each in self._running:
            reasons = (each.generated >= each.max_new_tokens) + (each.id in ended)
            self._reserved -= reasons * each.reserved
"""
        + _LEAVING,
        also=(
            (_EMPTY, _EMPTY + "        self._reserved = 0\n"),
            (_RESERVED, "            reserved = self._reserved\n"),
            (_FIRST, _FIRST + "            self._reserved += request.reserved\n"),
        ),
        says="A request in ended may have got its last token as well. You give back twice what it reserved, "
        "and admit more than the cache holds.",
    ),
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
        says="At admission you count less than the running requests have reserved: their prompts only, for "
        "example, or only what they have still to do. Each holds prompt_len + max_new_tokens from its "
        "admission until it leaves.",
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
    Mistake(
        "last-token-not-reserved",
        find="        return self.prompt_len + self.max_new_tokens",
        replace="        return self.prompt_len + self.max_new_tokens - 1",
        says="You reserve one token less than prompt_len + max_new_tokens, everywhere. That the last new "
        "token is never computed with is true, but the rule counts it: a request reserves their whole "
        "sum.",
    ),
    Mistake(
        "last-token-not-reserved-at-admission",
        find="        return self.prompt_len + self.max_new_tokens",
        replace="        return self.prompt_len + self.max_new_tokens - 1",
        also=(
            (
                "        if request.reserved > self.kv_tokens:",
                "        if prompt_len + max_new_tokens > self.kv_tokens:",
            ),
        ),
        says="add refuses by prompt_len + max_new_tokens, but at admission you count one token less for each "
        "request. Reserve the same sum in both places.",
    ),
    Mistake(
        "reserved-counted-once-a-step",
        find=_WHILE,
        replace=_RESERVED[4:] + _WHILE,
        also=((_RESERVED, ""),),
        says="You add up what is reserved once, before anybody is admitted. Of several admitted in one step "
        "the later ones do not count the earlier ones, and the cache overflows: add each request as it "
        "comes.",
    ),
    Mistake(
        "ended-requests-keep-what-they-reserved",
        find=_RESERVED,
        replace=_RESERVED + "            reserved += self._kept\n",
        also=(
            (
                _LEAVING,
                f"""\
        self._kept += sum(
            request.reserved
            for request in self._running
            if {_NOT_DONE} and request.id in ended
        )
"""
                + _LEAVING,
            ),
            (_EMPTY, _EMPTY + "        self._kept = 0\n"),
        ),
        says="What a request reserved is free again where it reaches max_new_tokens, but not where it leaves "
        "because it is in ended. Give it back whichever way a request leaves.",
    ),
    Mistake(
        "single-tokens-looked-at-late",
        find=_NOT_DONE,
        replace="request.generated < max(request.max_new_tokens, 2)",
        says="You look whether a request is done only after it wrote a token on its own, so one with "
        "max_new_tokens = 1 gets a step too many. The end of its prompt has given the first token already.",
    ),
    Mistake(
        "leaving-a-token-early",
        find=_NOT_DONE,
        replace="request.generated < request.max_new_tokens - 1",
        says="Your requests leave a step early: you count the token that the end of the prompt gives twice, "
        "or leave at max_new_tokens - 1. They get prompt_len + max_new_tokens - 1 tokens in all.",
    ),
    Mistake(
        "ended-a-step-late",
        find="request.id not in ended",
        replace="request.id not in self._ended",
        also=(
            (_EMPTY, _EMPTY + "        self._ended: set[int] = set()\n"),
            ("        return plan\n", "        self._ended = set(ended)\n        return plan\n"),
        ),
        says="Requests in ended leave a step late: they get one more token in the step that is told of them. "
        "They leave before it is planned.",
    ),
    Mistake(
        "one-of-the-ended-leaves",
        find="request.id not in ended",
        replace="request.id not in list(ended)[:1]",
        says="Of several requests in ended only one leaves. All of them do, before the step.",
    ),
    Mistake(
        "places-counted-before-some-leave",
        find=_LEAVING,
        replace="        places = self.max_running - len(self._running)\n" + _LEAVING,
        also=(
            (_WHILE, _WHILE.replace("len(self._running) < self.max_running", "places > 0")),
            (_FIRST, _FIRST + "            places -= 1\n"),
        ),
        says="You count the open places before those who are done have left, so theirs stay empty for a "
        "step. Whoever is done leaves first; then count.",
    ),
    Mistake(
        "running-counted-once-a-step",
        find=_WHILE,
        replace="        running = len(self._running)\n" + _WHILE.replace("len(self._running)", "running"),
        says="You count who runs once, before anybody is admitted, so that one step may admit more than "
        "there are places. Each one admitted runs too: count again.",
    ),
    Mistake(
        "running-in-order-of-ids",
        find=_LEAVING,
        replace=_LEAVING + "        self._running.sort(key=lambda request: request.id)\n",
        also=(("        return plan\n", "        return sorted(plan)\n"),),
        says="You go through the running requests, and report them, in order of their ids. Ids need not come "
        "in order: it is the order of admission.",
    ),
    Mistake(
        "queue-in-order-of-ids",
        find=_LEAVING,
        replace=_LEAVING
        + "        self._waiting = deque(sorted(self._waiting, key=lambda request: request.id))\n",
        says="You admit the waiting request with the smallest id. Ids need not come in order: the queue is "
        "served in order of arrival.",
    ),
    Mistake(
        "shortest-prompt-first",
        find=_LEAVING,
        replace=_LEAVING
        + "        self._waiting = deque(sorted(self._waiting, key=lambda request: request.prompt_len))\n",
        says="You admit the waiting request with the shortest prompt. As long as short ones come, a long one "
        "never runs: the queue is served in order of arrival.",
    ),
    Mistake(
        "last-of-the-budget-unused",
        find="budget > 0",
        replace="budget > 1",
        says="You admit nobody where a single token of the budget is left. One prompt token is a chunk too: "
        "admit while budget is above 0.",
    ),
    Mistake(
        "new-prompts-cut-at-batch-tokens",
        find="            tokens = _advance(request, budget)\n            plan.append((request.id, tokens))\n"
        "            budget -= tokens\n        return plan",
        replace="            tokens = _advance(request, self.batch_tokens)\n"
        "            plan.append((request.id, tokens))\n"
        "            budget -= tokens\n        return plan",
        says="You cut the prompt of a request that is admitted at batch_tokens, not at what is left of the "
        "budget, so a step gets more than batch_tokens.",
    ),
    Mistake(
        "no-place-accepted",
        find=_LIMITS,
        replace="if max_running > batch_tokens:",
        says="You accept a max_running of 0 or less, with which nobody ever runs. Raise a ValueError below "
        "1, too.",
    ),
    Mistake(
        "more-places-than-tokens-accepted",
        find=_LIMITS,
        replace="if max_running < 1:",
        says="You accept a max_running above batch_tokens, with which not everybody who writes could get a "
        "token. Raise a ValueError there, too.",
    ),
    Mistake(
        "as-many-places-as-tokens-refused",
        find=_LIMITS,
        replace="if not 1 <= max_running < batch_tokens:",
        says="You refuse a max_running of exactly batch_tokens. It is allowed: each of them then gets one "
        "token a step.",
    ),
    Mistake(
        "prompts-above-batch-tokens-refused",
        find="        if request.reserved > self.kv_tokens:",
        replace="        if request.reserved > self.kv_tokens or prompt_len > self.batch_tokens:",
        says="You refuse a prompt longer than batch_tokens. It is computed in chunks, over several steps: "
        "only what kv_tokens cannot hold is refused.",
    ),
]
