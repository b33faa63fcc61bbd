"""Known wrong versions of `continuous_batching`."""

from grader.kit import Mistake

WHILE = "        while self._waiting and budget > 0 and len(self._running) < self.max_running:\n"
DECODES = """\
        for request in self._running:
            tokens = _advance(request, budget)
            plan.append((request.id, tokens))
            budget -= tokens
        while"""
LEAVING = """\
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
        plan, budget = [], self.batch_tokens
"""
RESERVED = "            reserved = sum(request.reserved for request in self._running)\n"
FITS = "            if reserved + self._waiting[0].reserved > self.kv_tokens:\n"
FIRST = "            request = self._waiting.popleft()\n"
RETURN = "        return plan\n"

MISTAKES = [
    Mistake(
        "static-batching",
        find=WHILE,
        replace="        if plan:\n            return plan\n" + WHILE,
        says="You admit requests only when all others have finished: a short answer waits for the longest "
        "one, and its place stays empty meanwhile. Admit whenever there is room.",
    ),
    Mistake(
        "small-ones-overtake",
        find=FITS
        + "                break  # whoever is behind it waits too, or it might never run\n"
        + FIRST,
        replace="""\
            fitting = [each for each in self._waiting if reserved + each.reserved <= self.kv_tokens]
            if not fitting:
                break
            request = fitting[0]
            self._waiting.remove(request)
""",
        says="You admit a later request that fits where the first one does not. As long as small ones "
        "come, the large one never runs: nobody behind the first of the queue is admitted.",
    ),
    Mistake(
        "prompts-only-whole",
        find=FITS,
        replace="            if self._waiting[0].prompt_len > budget:\n                break\n" + FITS,
        says="You admit a prompt only if the budget has room for all of it, so a long one waits, or never "
        "runs. It is computed in chunks: what is left of the budget now, the rest in later steps.",
    ),
    Mistake(
        "last-prompt-token-gives-nothing",
        find="    if request.computed == request.prompt_len:\n        request.generated += 1",
        replace="    if left == 0:\n        request.generated += 1",
        says="Every request takes a step too many: the first new token is counted only in the step after "
        "the prompt, or requests leave only with more than max_new_tokens. The output of the last prompt "
        "token already is the first new token.",
    ),
    Mistake(
        "new-requests-first",
        find=DECODES,
        replace="        older = list(self._running)\n        while",
        also=(
            (
                RETURN,
                """\
        first = []
        for request in older:
            if budget > 0:
                tokens = _advance(request, budget)
                first.append((request.id, tokens))
                budget -= tokens
        return first + plan
""",
            ),
        ),
        says="You give the budget to new requests first and to the running ones what is left, so whoever "
        "writes stops whenever a long prompt comes. Running requests come first.",
    ),
    Mistake(
        "only-the-prompt-reserved",
        find="        return self.prompt_len + self.max_new_tokens",
        replace="        return self.prompt_len",
        says="You reserve room for the prompt only. The new tokens are cached too, and later the cache is "
        "full: a request reserves prompt_len + max_new_tokens.",
    ),
    Mistake(
        "only-what-is-there-counted",
        find=RESERVED,
        replace=RESERVED.replace("request.reserved", "request.computed + request.generated"),
        says="You count the tokens that the running requests have now, not those that they may still get: "
        "later the cache is full. Each reserves prompt_len + max_new_tokens from its admission.",
    ),
    Mistake(
        "leaving-a-step-late",
        find=LEAVING,
        replace="""\
        leaving = [
            request
            for request in self._running
            if request.generated >= request.max_new_tokens or request.id in ended
        ]
        plan, budget = [], self.batch_tokens
""",
        also=(
            (
                DECODES,
                DECODES.replace(
                    "in self._running:", "in [each for each in self._running if each not in leaving]:"
                ),
            ),
            (
                RETURN,
                "        self._running = [each for each in self._running if each not in leaving]\n" + RETURN,
            ),
        ),
        says="Finished requests give up their places only after others are admitted, so these come a step "
        "late. They leave first.",
    ),
    Mistake(
        "reservations-never-given-back",
        find=RESERVED,
        replace="            reserved = getattr(self, '_reserved', 0)\n",
        also=((FIRST, FIRST + "            self._reserved = reserved + request.reserved\n"),),
        says="What a request has reserved is never given back, so after a while nobody is admitted. It is "
        "free when the request leaves.",
    ),
    Mistake(
        "list-changed-while-walked",
        find=LEAVING,
        replace="""\
        for request in self._running:
            if request.generated >= request.max_new_tokens or request.id in ended:
                self._running.remove(request)
        plan, budget = [], self.batch_tokens
""",
        says="You remove requests from the list that you walk over, so the one behind each is skipped: of "
        "two that are done side by side one stays. Build a new list, or walk over a copy.",
    ),
    Mistake(
        "first-sent-to-the-back",
        find="                break  # whoever is behind it waits too, or it might never run\n",
        replace="                self._waiting.rotate(-1)\n                break\n",
        says="You send the first of the queue to its end where it does not fit. Then others overtake it, "
        "perhaps for ever: it stays the first, and nobody is admitted before it.",
    ),
    Mistake(
        "ended-ignored",
        find=" and request.id not in ended",
        replace="",
        says="You ignore ended: requests whose text is over go on to max_new_tokens. They leave before "
        "the step.",
    ),
    *(
        Mistake(
            name,
            find=LEAVING,
            replace=f"""\
        running = {running}
        done = [each.id for each in self._running if each.generated >= each.max_new_tokens]
        for number in [*done, *ended]:
            {removed}
        self._running = [each for each in self._running if each.id in running]
        plan, budget = [], self.batch_tokens
""",
            says="A request in ended may have got its last token as well, and you remove it twice: because "
            "it is done, and because it is in ended. The second time it is no longer there, which raises. "
            "Remove the union of both, each request once.",
        )
        for name, running, removed in [
            ("released-twice", "{each.id: each for each in self._running}", "running.pop(number)"),
            ("removed-twice", "[each.id for each in self._running]", "running.remove(number)"),
        ]
    ),
    Mistake(
        "max-new-tokens-ignored",
        find="if request.generated < request.max_new_tokens and request.id not in ended",
        replace="if request.id not in ended",
        says="Requests never leave by themselves. Who has generated max_new_tokens leaves before the next "
        "step.",
    ),
    Mistake(
        "max-running-ignored",
        find=" and len(self._running) < self.max_running",
        replace="",
        says="You admit more than max_running requests.",
    ),
    Mistake(
        "one-more-than-max-running",
        find="len(self._running) < self.max_running",
        replace="len(self._running) <= self.max_running",
        says="You admit one request more than max_running: admit only while fewer run.",
    ),
    Mistake(
        "written-tokens-cost-nothing",
        find=DECODES,
        replace=DECODES.replace("budget -= tokens\n", "budget -= tokens if request.generated <= 1 else 0\n"),
        says="You do not take the tokens of requests that write from the budget, so a step has more than "
        "batch_tokens. Each costs one.",
    ),
    Mistake(
        "exact-fit-refused",
        find=FITS,
        replace=FITS.replace(" > ", " >= "),
        says="You leave a request waiting that fits exactly. At most kv_tokens may be reserved, so as "
        "many are allowed.",
    ),
    Mistake(
        "one-admitted-a-step",
        find="            budget -= tokens\n" + RETURN,
        replace="            budget -= tokens\n            break\n" + RETURN,
        says="You admit at most one request a step. As long as there is budget, room and a place, admit "
        "the next one.",
    ),
    Mistake(
        "last-come-first-served",
        find=FITS,
        replace=FITS.replace("_waiting[0]", "_waiting[-1]"),
        also=((FIRST, FIRST.replace("popleft", "pop")),),
        says="You admit the request that came last. The queue is served in order of arrival.",
    ),
    Mistake(
        "those-who-run-in-order-of-ids",
        find=LEAVING,
        replace=LEAVING + "        self._running.sort(key=lambda request: request.id)\n",
        says="You go through the requests that already run in order of their ids. Ids need not come in "
        "order: go through them in order of admission.",
    ),
    Mistake(
        "prompts-never-cut",
        find="    tokens = min(left, budget) if left > 0 else 1",
        replace="    tokens = max(left, 1)",
        says="You compute a prompt at once, however little budget is left: a step gets more than "
        "batch_tokens. Cut it at the budget and go on in the next step.",
    ),
    Mistake(
        "admitted-without-budget",
        find="self._waiting and budget > 0 and",
        replace="self._waiting and",
        says="You admit requests although no budget is left. They get 0 tokens, and occupy a place and "
        "the cache: wait for the next step.",
    ),
    Mistake(
        "limits-unchecked",
        find="""\
        if not 1 <= max_running <= batch_tokens:
            raise ValueError(f"max_running must be in 1 … {batch_tokens}, not {max_running}")
""",
        replace="",
        says="You accept any max_running. With more than batch_tokens not everybody who writes could get "
        "a token, with 0 nobody runs: raise a ValueError.",
    ),
    Mistake(
        "too-large-requests-queued",
        find="""\
        if request.reserved > self.kv_tokens:
            raise ValueError(f"{request.reserved} tokens never fit into a cache of {self.kv_tokens}")
""",
        replace="",
        says="You queue a request that can never fit, and it blocks everybody behind it. Raise a ValueError.",
    ),
    Mistake(
        "largest-request-refused",
        find="        if request.reserved > self.kv_tokens:",
        replace="        if request.reserved >= self.kv_tokens:",
        says="You refuse a request of exactly kv_tokens, which fits into an empty cache. Only what is "
        "larger can never run.",
    ),
    Mistake(
        "refused-but-queued",
        find="        if request.reserved > self.kv_tokens:\n            raise",
        replace="        self._waiting.append(request)\n"
        "        if request.reserved > self.kv_tokens:\n            raise",
        also=(("        self._waiting.append(request)\n\n", "\n"),),
        says="You queue the request before you refuse it, so it blocks everybody behind it. Check first: "
        "a refused add changes nothing.",
    ),
]
