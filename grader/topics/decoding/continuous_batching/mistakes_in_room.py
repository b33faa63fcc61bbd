"""Known wrong versions of `continuous_batching` that count the room wrongly, for who comes or who leaves."""

from grader.kit import Mistake

_RUNNING = "reserved = sum(request.reserved for request in self._running)"
_NEW = "if reserved + self._waiting[0].reserved > self.kv_tokens:"
_LEAVING = """\
        self._running = [
            request
            for request in self._running
            if request.generated < request.max_new_tokens and request.id not in ended
        ]
"""
_EMPTY = "        self._running: list[_Request] = []\n"
_FIRST = "            request = self._waiting.popleft()\n"
_HOLDS = "Each reserves prompt_len + max_new_tokens from its admission until it leaves."

MISTAKES = [
    *(
        Mistake(
            id,
            find=_RUNNING,
            replace=f"reserved = sum({counted} for request in self._running)",
            says=f"Of the running requests you count less than they reserve: {words}, for example. They go "
            f"on, and with others admitted beside them the cache overflows. {_HOLDS}",
        )
        for id, counted, words in (
            (
                "only-what-is-in-the-cache-counted",
                "request.computed + max(request.generated - 1, 0)",
                "the tokens that are computed so far, of the prompt and behind it",
            ),
            (
                "only-prompts-of-the-running-counted",
                "request.prompt_len",
                "their prompts only, or what is computed of these",
            ),
            (
                "only-what-is-left-counted",
                "request.reserved - request.computed - max(request.generated - 1, 0)",
                "the tokens that they have still to compute",
            ),
            ("only-new-tokens-of-the-running-counted", "request.max_new_tokens", "max_new_tokens only"),
        )
    ),
    *(
        Mistake(
            id,
            find=_NEW,
            replace=f"if reserved {sign} self.kv_tokens:",
            says="Of the request that is to be admitted you count less than it reserves: "
            f"{words}, for example. It is admitted where it does not fit, and the cache overflows later. It "
            "is admitted if what all running ones and it reserve is at most kv_tokens.",
        )
        for id, sign, words in (
            ("only-the-prompt-of-the-first-counted", "+ self._waiting[0].prompt_len >", "its prompt only"),
            (
                "only-new-tokens-of-the-first-counted",
                "+ self._waiting[0].max_new_tokens >",
                "max_new_tokens only",
            ),
            (
                "only-tokens-of-this-step-of-the-first-counted",
                "+ min(self._waiting[0].prompt_len, budget) >",
                "what it computes in this step",
            ),
            ("nothing-of-the-first-counted", ">=", "nothing, and ask whether there is any room left"),
            ("first-admitted-into-a-full-cache", ">", "nothing, and admit it even where no room is left"),
        )
    ),
    *(
        Mistake(
            id,
            find=_RUNNING,
            replace="reserved = self._reserved",
            also=(
                (
                    _LEAVING,
                    f"""\
        for each in self._running:
            if each.generated >= each.max_new_tokens or each.id in ended:
                self._reserved -= {given_back}
"""
                    + _LEAVING,
                ),
                (_EMPTY, _EMPTY + "        self._reserved = 0\n"),
                (_FIRST, _FIRST + "            self._reserved += request.reserved\n"),
            ),
            says=f"Whoever leaves gives back less than it reserved: {words}, for example. What it did not "
            "use is lost, and others wait for room that is there. It gives back what it took when it was "
            "admitted: prompt_len + max_new_tokens.",
        )
        for id, given_back, words in (
            (
                "only-what-was-used-given-back",
                "each.prompt_len + each.generated",
                "its prompt and the tokens that it has generated, which are fewer where it ends early",
            ),
            (
                "only-what-was-computed-given-back",
                "each.prompt_len + each.generated - 1",
                "the tokens that were computed for it, one fewer even where it has all its tokens",
            ),
        )
    ),
    Mistake(
        "room-that-was-too-small-not-tried-again",
        find=_NEW,
        replace="if reserved == self._too_full or reserved + self._waiting[0].reserved > self.kv_tokens:\n"
        "                self._too_full = reserved",
        also=((_EMPTY, _EMPTY + "        self._too_full = -1\n"),),
        says="You remember how much room was too little for the first of the queue, and do not try again "
        "while it is the same. But another one may be the first by then, which fits. Ask at each step.",
    ),
    Mistake(
        "refused-id-stays-taken",
        find="        request = _Request(request_id, prompt_len, max_new_tokens)\n",
        replace="        if request_id in self._ids:\n"
        "            raise ValueError(request_id)\n"
        "        self._ids.add(request_id)\n"
        "        request = _Request(request_id, prompt_len, max_new_tokens)\n",
        also=((_EMPTY, _EMPTY + "        self._ids: set[int] = set()\n"),),
        says="A request that you refused leaves its id behind, so a smaller one with this id is refused too. "
        "Where add raises nothing changes: note the id when all is checked.",
    ),
]
